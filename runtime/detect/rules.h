// FastTrack's rules on one cell: a pure step from (cell, access) to (cell, conflict?).
//
// The rules have the names of the FastTrack paper and are counted under them. They are written
// once, here; the test that instrumented code performs inline is the shortcut for SAME EPOCH only,
// and the rules do not rely on it.
//
//   [READ SAME EPOCH]    this thread read or wrote the piece in this epoch: nothing to do
//   [READ SHARED]        ... and others read it concurrently; this epoch is in the set already
//   [READ EXCLUSIVE]     all earlier reads happened before this one: it replaces them
//   [READ SHARE]         some earlier read is concurrent: both are kept
//   [WRITE SAME EPOCH]   this thread wrote the piece in this epoch
//   [WRITE EXCLUSIVE]    the earlier read and write happened before: this write replaces both
//   [WRITE SHARED]       the same for a set of reads
//
// A write takes the place of the reads it is ordered after, and counts as a read of its epoch: so
// the inlined test of a read looks at the read word alone. Its verdicts are those of the write
// beside it. That is precise address by address: whoever is concurrent with such a read and later
// than the write would be concurrent with the write as well.
//
// An access that conflicts with an unordered earlier one is a race. The cell goes on as if the
// access had been ordered, so that one mistake of the program is not reported at every later
// access.
#pragma once

#include "runtime/clock/stamp.h"
#include "runtime/clock/vector_clock.h"
#include "runtime/shadow/cell.h"
#include "runtime/shadow/read_sets.h"

namespace bigfoot::rt {

// Who performs the access, and what it knows.
struct Observer {
  const VectorClock& knows;
  Slot slot;
  Stamp stamp;  // the current epoch
  const StampTable& stamps;
  // A write and a read that were found to be ordered before: neighbouring bytes often have the
  // same. Not to be kept beyond a collection, after which a stamp may name another epoch.
  mutable u32 ordered_write = 0, ordered_read = 0;
};

inline bool happened_before(const Epoch& e, const Observer& me) {
  return e.slot == me.slot || e.clock <= me.knows.get(e.slot);
}
// Whether what happened at `s` is ordered before everything the observer does now. The thread's own
// recent past, by far the commonest answer, needs no look at the tables.
inline bool happened_before(Stamp s, const Observer& me) {
  return StampTable::same_chunk(s, me.stamp) || happened_before(me.stamps.decode(s), me);
}

enum class Rule : u8 {
  kReadSameEpoch,
  kReadShared,
  kReadExclusive,
  kReadShare,
  kWriteSameEpoch,
  kWriteExclusive,
  kWriteShared,
};
inline constexpr usize kRuleCount = 7;

// The earlier access a race was found with.
struct Conflict {
  Stamp stamp = kNoStamp;
  Origin origin = kNoOrigin;
  explicit operator bool() const { return stamp != kNoStamp; }
};

struct Step {
  Cell next;  // equal to the old cell if the rule changes nothing
  Rule rule;
  Conflict conflict;  // empty if the access is ordered after everything it conflicts with
};

// Remembers the last few steps from one read word to the next, so that a sweep over an array that
// another thread reads too does not intern the same set for each element.
class ReadShareCache {
 public:
  ReadSets::Stock stock;

  // After each sweep of the sets: forgets everything that names one.
  void clear() {
    for (Entry& e : entries_) e = {};
    stock = {};
  }
  struct Entry {
    u64 before;  // read word and origin
    u64 mine;    // stamp and origin
    u32 after;
  };
  Entry& slot(u64 before, u64 mine) {
    return entries_[((before * 0x9E3779B97F4A7C15ull) ^ (mine * 0xC2B2AE3D27D4EB4Full)) >> 58];
  }

 private:
  Entry entries_[64] = {};
};

// For whom a step is made: for the one cell that the caller replaces by it, which may get a set of
// reads of its own, or perhaps for several. Array shadows copy their cells, for instance.
enum class StepFor : u8 { kSeveral, kOneCell };

// REQUIRES: !is_special(c.write). `origin` is called only if the cell has to change. A set of reads
// that the step replaces is closed: who else is about to change it has done so, and is judged, or
// goes by the cell.
template <class OriginSource>
Step read_step(const Cell& c, const Observer& me, ReadSets& sets, ReadShareCache& cache,
               OriginSource&& origin, StepFor step_for);
template <class OriginSource>
Step write_step(const Cell& c, const Observer& me, ReadSets& sets, OriginSource&& origin);

// [READ SHARE] without a step: the cell's own set of reads has an entry of the thread, and this
// read takes its place. False, and nothing has changed, if the rules have to say more. `seen` may
// lack the flag of an object that has come to live in the word meanwhile, and its halves may be of
// different ages, between which a group or a part was cut: the caller looks again at the first one.
// No write can be missed. As long as the entry is open the cell names the set: whoever replaces the
// cell has closed the set before. And the last write is the one that was seen: after another one no
// set has an entry of this thread before it reads again.
template <class OriginSource>
bool read_in_place(const Cell& seen, const Observer& me, ReadSets& sets, OriginSource&& origin);

// The first entry that is not ordered before the observer, if any.
inline Conflict unordered_read(const Cell& c, const Observer& me, const ReadSets& sets) {
  if (c.read == 0) return {};
  if (!c.read_by_many()) {
    if (happened_before(Stamp{c.read}, me)) return {};
    return {Stamp{c.read}, c.reader()};
  }
  for (const ReadEntry e : sets.get(read_set_of(c.read)))
    if (!happened_before(e.stamp, me)) return {e.stamp, e.origin};
  return {};
}

inline Conflict unordered_write(const Cell& c, const Observer& me) {
  if (c.write == 0 || happened_before(Stamp{c.write}, me)) return {};
  return {Stamp{c.write}, c.writer()};
}

// Adds the observer's read to the concurrent ones among the cell's reads. Out of line: rare.
u32 share_read(const Cell& c, const Observer& me, Origin origin, ReadSets& sets,
               ReadShareCache& cache, StepFor step_for);
// Whether the observer's read of this epoch is in the set that a cell's read word names.
inline bool set_contains(const ReadSets& sets, u32 read, const Observer& me) {
  return sets.contains(read_set_of(read), me.slot, me.stamp);
}

// Whether a part's cell still holds what an access of this epoch has just recorded in it. Asked
// after a look at the word's mark. The mark alone does not tell: a word that was joined and divided
// again has the same one, and the record may have gone with the old part before whoever joined it
// saw it. Somebody who did see the record and replaced it leaves the same picture; the access is
// then made again and meets that somebody.
inline bool still_recorded(const Cell* c, Stamp s) {
  return load_acquire(&c->read) == raw(s);  // a write counts as a read
}
inline bool still_recorded(const Cell* c, const Observer& me, const ReadSets& sets) {
  const u32 read = load_acquire(&c->read);
  return read == raw(me.stamp) || (names_set(read) && set_contains(sets, read, me));
}

template <class OriginSource>
inline Step read_step(const Cell& c, const Observer& me, ReadSets& sets, ReadShareCache& cache,
                      OriginSource&& origin, StepFor step_for) {
  u32 mine = raw(me.stamp);
  if (c.write == mine || c.read == mine) return {c, Rule::kReadSameEpoch, {}};
  if (c.read_by_many() && set_contains(sets, c.read, me)) return {c, Rule::kReadShared, {}};

  Step s{c, Rule::kReadExclusive, unordered_write(c, me)};
  u32 from = raw(origin());
  if (c.read_by_many()) sets.close(read_set_of(c.read));
  if (unordered_read(c, me, sets)) {
    s.rule = Rule::kReadShare;
    s.next.read = share_read(c, me, Origin{from}, sets, cache, step_for);
    s.next.read_origin = 0;
  } else {
    s.next.read = mine;
    s.next.read_origin = from;
  }
  return s;
}

template <class OriginSource>
inline Step write_step(const Cell& c, const Observer& me, ReadSets& sets, OriginSource&& origin) {
  u32 mine = raw(me.stamp);
  if (c.write == mine) return {c, Rule::kWriteSameEpoch, {}};
  if (c.read_by_many()) sets.close(read_set_of(c.read));
  Step s{c, c.read_by_many() ? Rule::kWriteShared : Rule::kWriteExclusive, unordered_write(c, me)};
  if (!s.conflict) s.conflict = unordered_read(c, me, sets);
  s.next = written(mine, raw(origin()));
  s.next.write_origin |= c.write_origin & ~kOriginMask;
  return s;
}

// The caller's second look: the cell speaks for the same bytes, and no object has come.
inline bool is_whole_as_seen(const Cell* cell, const Cell& seen) {
  return load_acquire(&cell->write_origin) == seen.write_origin;
}
template <class OriginSource>
inline bool read_in_place(const Cell& seen, const Observer& me, ReadSets& sets,
                          OriginSource&& origin) {
  if (!seen.read_by_many()) return false;
  u64* const entry = sets.open_entry(read_set_of(seen.read), me.slot);
  if (entry == nullptr || unordered_write(seen, me)) return false;
  // If all others are ordered before, this read takes the place of the set.
  if (!unordered_read(seen, me, sets)) return false;
  return ReadSets::replace_entry(entry, {me.stamp, origin()});
}

}  // namespace bigfoot::rt
