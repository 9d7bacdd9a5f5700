// The body of the detector, for inlining into the slow path of each access. Everyone else uses
// detector.h.
#pragma once

#include "runtime/detect/claims.h"
#include "runtime/detect/detector.h"
#include "runtime/detect/groups.h"

namespace bigfoot::rt::detail {

template <bool kWrites>
inline Step step(const Cell& c, Accessor& who, StepFor step_for = StepFor::kSeveral) {
  auto origin = [&] { return who.origin(); };
  if constexpr (kWrites)
    return write_step(c, who.me, who.sets, origin);
  else
    return read_step(c, who.me, who.sets, who.share_cache, origin, step_for);
}

// See rules.h. Counted as what it is.
template <bool kWrites>
inline bool in_place(const Cell& seen, Accessor& who) {
  if constexpr (kWrites) return false;
  if (!read_in_place(seen, who.me, who.sets, [&] { return who.origin(); })) return false;
  if (who.rule_counts != nullptr) ++who.rule_counts[static_cast<usize>(Rule::kReadShare)];
  return true;
}

// One attempt at a word: what it found waits here until the shadow is consistent. A word has at
// most eight parts.
struct Attempt {
  Outcome out;
  RaceList<8> races;
};

inline void note(const Step& s, Accessor& who, ByteRange piece, Attempt& attempt) {
  if (who.rule_counts != nullptr) ++who.rule_counts[static_cast<usize>(s.rule)];
  if (BF_UNLIKELY(static_cast<bool>(s.conflict))) attempt.races.add(s.conflict, piece);
}

// One attempt at one cell: false if somebody else changed it meanwhile.
template <bool kWrites>
inline bool try_cell(Cell* cell, const Cell& seen, Accessor& who, ByteRange piece,
                     Attempt& attempt) {
  if (in_place<kWrites>(seen, who)) {
    attempt.out.recorded = true;
    attempt.out.sync_here |= load_cell(cell).has_sync();  // of a part, try_parts() looks
    return true;
  }
  Step s = step<kWrites>(seen, who, StepFor::kOneCell);
  const bool stopped = static_cast<bool>(s.conflict) && who.stops_at_race;
  if (!(s.next == seen) && !stopped) {
    if (!replace_cell(cell, seen, s.next)) return false;
    attempt.out.recorded = true;
  }
  note(s, who, piece, attempt);
  return true;
}

// One part of a divided word. False if the part has become another.
template <bool kWrites>
bool update_part(Cell* cell, Division d, Accessor& who, ByteRange part, Attempt& attempt) {
  for (;;) {
    Cell seen = load_cell(cell);
    if (d.plane() == 1 && seen.part_size() != part.size) return false;
    if (try_cell<kWrites>(cell, seen, who, part, attempt)) return true;
    cpu_pause();
  }
}

// What was recorded in cells that no part owns any more must not match a stamp later, neither this
// thread's nor, by a set of reads, another's. A record in a cell that has an owner is where it
// belongs: the size in the cell saw to that.
inline void take_back(Cell* word, Division was, ByteRange r) {
  for (;;) {
    Cell seen = words::load_alone(word, r.begin);
    const bool divided = is_special(seen.write);
    if (divided && Division(seen.write) == was) return;
    if (!words::make_busy(word, seen)) continue;
    words::for_each_part(was, r, [&](Cell* cell, ByteRange part) {
      const bool owned = divided && Division(seen.write).plane() == was.plane() &&
                         Division(seen.write).begin_of(part.begin & 7) == (part.begin & 7);
      if (!owned) store_cell(cell, Cell{});
    });
    words::settle(word, seen);
    return;
  }
}

// The bytes `r` of a word whose division cuts them out. False if the word changed under us: start
// again.
template <bool kWrites>
bool try_parts(Cell* word, Division d, Accessor& who, ByteRange r, Attempt& attempt) {
  bool held = true;
  words::for_each_part(d, r, [&](Cell* cell, ByteRange part) {
    held = held && update_part<kWrites>(cell, d, who, part, attempt);
  });
  // An atomic may have come to live in the word since we looked, and may have looked for conflicts
  // before this was recorded: it is asked, then.
  const Cell now = load_cell(word);
  held = held && now.write == d.mark();
  attempt.out.sync_here |= now.has_sync();
  const bool stopped = !attempt.races.empty() && who.stops_at_race;
  if (attempt.out.recorded && !stopped)
    words::for_each_part(d, r, [&](Cell* cell, ByteRange) {
      held = held && still_recorded(cell, who.me, who.sets);
    });
  if (held) return true;
  take_back(word, d, r);
  return false;
}

// A write to several parts: checks each, then they are one; all of them: the word is whole again.
inline bool try_join(Cell* word, const Cell& seen, Accessor& who, ByteRange r, Attempt& attempt) {
  if (!words::make_busy(word, seen)) return false;
  const Division d(seen.write);
  // Bytes that a loop has written one after the other have the same history: judged once.
  Cell harmless = written(raw(who.me.stamp), 0);
  words::for_each_part(d, r, [&](Cell* cell, ByteRange part) {
    const Cell c = load_cell(cell);
    if (c.write == harmless.write && c.read == harmless.read) return;
    note(step<true>(c, who), who, part, attempt);
    if (attempt.races.empty()) harmless = c;
  });
  if (BF_UNLIKELY(!attempt.races.empty() && who.stops_at_race)) {
    words::settle(word, seen);
    return true;
  }
  // Who changes a part between the look at it and here finds the word busy and starts again.
  Cell next =
      words::join_parts(d, r, written(raw(who.me.stamp), raw(who.origin())), Right::kShared);
  next.write_origin |= seen.write_origin & kSyncFlag;
  words::settle(word, next);
  attempt.out.recorded = true;
  return true;
}

// Some bytes of a word that shares its history with others. If this epoch has accessed all of them
// so already there is nothing to do; otherwise the word leaves the group first. (No objects live in
// groups.)
template <bool kWrites>
bool try_in_group(Cell* word, const Cell& seen, Accessor& who) {
  const Cell group = load_cell(words::first_of_group(word, seen));
  const unsigned distance = is_special(seen.write) ? distance_of(seen.write) : 0;
  if (!is_special(group.write) && !group.torn() && distance < group_words(group)) {
    const Step s = step<kWrites>(group, who);
    if (s.next == group && !s.conflict) {
      if (who.rule_counts != nullptr) ++who.rule_counts[static_cast<usize>(s.rule)];
      return true;
    }
  }
  words::cut_out(word, seen, 1);
  return false;
}

// Whether this epoch has accessed so all parts that bytes `r` of the word lie in: then there is
// nothing to record, and the word need not be cut for them.
template <bool kWrites>
bool settled_around(const Cell& seen, Accessor& who, ByteRange r) {
  auto settled = [&](const Cell& c) {
    if (c.write == raw(who.me.stamp)) return true;
    if (kWrites) return false;
    return c.read == raw(who.me.stamp) ||
           (c.read_by_many() && set_contains(who.sets, c.read, who.me));
  };
  if (!is_special(seen.write)) return settled(seen);
  const Division d(seen.write);
  const uptr word_address = r.begin & ~uptr{7};
  for (uptr a = word_address + d.begin_of(r.begin & 7); a < r.end();
       a = word_address + d.end_of(a & 7))
    if (!settled(load_cell(words::part_cell(d, a)))) return false;
  return true;
}

// One attempt at some bytes of one word.
template <bool kWrites>
inline bool try_access(Cell* word, Accessor& who, ByteRange r, Attempt& attempt) {
  Cell seen = words::load_settled(word);
  if (BF_UNLIKELY(in_group(seen))) return try_in_group<kWrites>(word, seen, who);
  attempt.out.sync_here |= seen.has_sync();
  const uptr word_address = r.begin & ~uptr{7};
  if (BF_UNLIKELY(is_masked(seen.write))) {
    words::unmask(word, seen, word_address);
    return false;
  }
  const unsigned from = r.begin & 7, to = from + static_cast<unsigned>(r.size);
  const bool divided = is_special(seen.write);
  if (!divided && r.size == 8) return try_cell<kWrites>(word, seen, who, r, attempt);
  if (!divided || !Division(seen.write).cuts(from, to)) {
    if (settled_around<kWrites>(seen, who, r)) return true;
    words::divide(word, seen, word_address, divided_for(seen.write, from, to));
    return false;
  }
  const Division d(seen.write);
  if (kWrites && write_joins(d, from, to)) return try_join(word, seen, who, r, attempt);
  return try_parts<kWrites>(word, d, who, r, attempt);
}

// An access to bytes of one word. A conflict is one even if the attempt that met it did not hold:
// the older access is in the history of those bytes, and what the attempt recorded before the word
// changed may keep the next one from meeting it again.
// REQUIRES: the right to the block (shadow/claims.h).
template <bool kWrites>
inline Outcome access(Accessor& who, ByteRange r) {
  Cell* word = shadow::cell<8>(r.begin);
  BF_DCHECK(!shadow::claims_on || right_to(r.begin, who.me) != Right::kNone);
  for (;;) {
    Attempt attempt;
    const bool held = try_access<kWrites>(word, who, r, attempt);
    if (BF_UNLIKELY(!attempt.races.empty())) attempt.races.deliver(who.sink);
    if (BF_LIKELY(held)) return attempt.out;
  }
}

}  // namespace bigfoot::rt::detail
