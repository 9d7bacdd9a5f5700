// The body of the detector, for inlining into the slow path of each access. Everyone else uses
// detector.h.
#pragma once

#include "runtime/detect/detector.h"
#include "runtime/detect/words.h"

namespace bigfoot::rt::detail {

template <bool kWrites>
inline Step step(const Cell& c, Accessor& who) {
  auto origin = [&] { return who.origin(); };
  if constexpr (kWrites)
    return write_step(c, who.me, who.sets, origin);
  else
    return read_step(c, who.me, who.sets, who.share_cache, origin);
}

// One attempt at a word: what it found waits here until the attempt has held. A word has at most
// eight pieces.
struct Attempt {
  Outcome out;
  u32 count = 0;
  u32 sizes[8];
  uptr begins[8];
  u32 stamps[8];
  Origin origins[8];

  void add(const Conflict& c, ByteRange piece) {
    stamps[count] = raw(c.stamp);
    origins[count] = c.origin;
    begins[count] = piece.begin;
    sizes[count++] = static_cast<u32>(piece.size);
  }
  void deliver(const RaceSink& sink) const {
    for (u32 i = 0; i < count; ++i)
      sink.found(sink.context, {{Stamp{stamps[i]}, origins[i]}, {begins[i], sizes[i]}});
  }
};

inline void note(const Step& s, Accessor& who, ByteRange piece, Attempt& attempt) {
  if (who.rule_counts != nullptr) ++who.rule_counts[static_cast<usize>(s.rule)];
  if (BF_UNLIKELY(static_cast<bool>(s.conflict))) attempt.add(s.conflict, piece);
}

// One attempt at one cell: false if somebody else changed it meanwhile.
template <bool kWrites>
inline bool try_cell(Cell* cell, const Cell& seen, Accessor& who, ByteRange piece,
                     Attempt& attempt) {
  Step s = step<kWrites>(seen, who);
  const bool stopped = static_cast<bool>(s.conflict) && who.stops_at_race;
  if (!(s.next == seen) && !stopped) {
    if (!replace_cell(cell, seen, s.next)) return false;
    attempt.out.recorded = true;
  }
  note(s, who, piece, attempt);
  return true;
}

template <bool kWrites>
void update_cell(Cell* cell, Accessor& who, ByteRange piece, Attempt& attempt) {
  while (!try_cell<kWrites>(cell, load_cell(cell), who, piece, attempt)) cpu_pause();
}

// What was recorded in pieces that nobody looks at any more must not match a stamp later. If the
// word is split the same way again by now, the record is where it belongs and stays.
inline void take_back(Cell* word, unsigned g, const Accessor& who, uptr a, unsigned bytes) {
  u32 mine = raw(who.me.stamp);
  for (;;) {
    Cell seen = words::load_settled(word);
    if (seen.write == split_mark(g)) return;
    if (!words::make_busy(word, seen)) continue;
    for (uptr p = a; p < a + bytes; p += g) {
      Cell* cell = words::piece_cell(g, p);
      Cell c = load_cell(cell);
      if (c.write == mine || c.read == mine) store_cell(cell, Cell{});
    }
    words::settle(word, seen);
    return;
  }
}

// The pieces [a, a + bytes) of a word split at `g`. False if the word changed under us: start
// again.
template <bool kWrites>
bool try_pieces(Cell* word, unsigned g, Accessor& who, uptr a, unsigned bytes, Attempt& attempt) {
  for (uptr p = a; p < a + bytes; p += g)
    update_cell<kWrites>(words::piece_cell(g, p), who, {p, g}, attempt);
  if (load_acquire(&word->write) == split_mark(g)) return true;
  take_back(word, g, who, a, bytes);
  return false;
}

// A write to a whole split word: checks every piece, then the word is one again.
inline bool try_join(Cell* word, const Cell& seen, Accessor& who, uptr a, Attempt& attempt) {
  if (!words::make_busy(word, seen)) return false;
  unsigned g = split_granularity(seen.write);
  for (uptr p = a; p < a + 8; p += g)
    note(step<true>(load_cell(words::piece_cell(g, p)), who), who, {p, g}, attempt);
  if (BF_UNLIKELY(attempt.count != 0 && who.stops_at_race)) {
    words::settle(word, seen);
    return true;
  }
  words::blank_pieces(a, g);
  Cell whole = written(raw(who.me.stamp), raw(who.origin()));
  whole.write_origin |= seen.write_origin & kSyncFlag;
  words::settle(word, whole);
  attempt.out.recorded = true;
  return true;
}

// One attempt at an aligned access of G bytes.
template <unsigned G, bool kWrites>
inline bool try_access(Cell* word, Accessor& who, uptr a, Attempt& attempt) {
  Cell seen = words::load_settled(word);
  attempt.out.sync_here |= seen.has_sync();
  if (!is_special(seen.write)) {
    if constexpr (G == 8) return try_cell<kWrites>(word, seen, who, {a, 8}, attempt);
    words::split(word, seen, a & ~uptr{7}, G);
    return false;
  }
  unsigned g = split_granularity(seen.write);
  if constexpr (G == 8 && kWrites) return try_join(word, seen, who, a, attempt);
  if (g > G) {
    words::split(word, seen, a & ~uptr{7}, G);
    return false;
  }
  return try_pieces<kWrites>(word, g, who, a, G, attempt);
}

// A naturally aligned access of G bytes.
template <unsigned G, bool kWrites>
inline Outcome access(Accessor& who, uptr a) {
  Cell* word = shadow::cell<8>(a);
  for (;;) {
    Attempt attempt;
    if (BF_UNLIKELY((!try_access<G, kWrites>(word, who, a, attempt)))) continue;
    if (BF_UNLIKELY(attempt.count != 0)) attempt.deliver(who.sink);
    return attempt.out;
  }
}

}  // namespace bigfoot::rt::detail
