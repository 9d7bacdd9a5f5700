// The shortcut for the two commonest outcomes of an access: nothing to do ([... SAME EPOCH]), or
// the first access of an epoch to memory whose history is all ordered before it ([... EXCLUSIVE]).
//
// Everything else (sharing, conflicts, words that have to be split or joined, contention) returns
// false and goes through detector.h, which knows all rules; this one decides nothing they would
// decide otherwise, and the tests run every trace with and without it. It exists because a first
// access through the full path measured 20 ns, most of it moving arguments around: here everything
// is in registers, and `origin` is asked for only when the cell is about to change.
#pragma once

#include "runtime/detect/rules.h"
#include "runtime/shadow/planes.h"

namespace bigfoot::rt {

// Whether everything in the cell is single and ordered before the access.
template <bool kWrites>
[[gnu::always_inline]] inline bool exclusive_before(const Cell& c, const Observer& me) {
  if (is_special(c.read) || is_special(c.write)) return false;
  if (c.write != 0 && !happened_before(Stamp{c.write}, me)) return false;
  // A concurrent read conflicts with a write, and has to be kept beside a read.
  return c.read == 0 || happened_before(Stamp{c.read}, me);
}

enum class Quick : u8 { kNotQuick, kSameEpoch, kRecorded };

// A naturally aligned access of G bytes. `origin` returns an Origin.
template <unsigned G, bool kWrites, class OriginSource>
[[gnu::always_inline]] inline Quick quick_access(uptr a, const Observer& me,
                                                 OriginSource&& origin) {
  Cell* cell = shadow::cell<G>(a);
  Cell* word = cell;
  if constexpr (G != 8) {
    word = shadow::cell<8>(a);
    if (load_acquire(&word->write) != split_mark(G)) return Quick::kNotQuick;
  }
  // Plain accesses to words with atomics in them have to ask those.
  if (load_relaxed(&word->write_origin) & kSyncFlag) return Quick::kNotQuick;
  Cell seen = load_cell(cell);
  u32 mine = raw(me.stamp);
  if (seen.write == mine || (!kWrites && seen.read == mine)) return Quick::kSameEpoch;
  if (!exclusive_before<kWrites>(seen, me)) return Quick::kNotQuick;
  Cell next = seen;
  if constexpr (kWrites)
    next = {mine, raw(origin()), 0, 0};
  else
    next.read = mine, next.read_origin = raw(origin());
  if (!replace_cell(cell, seen, next)) return Quick::kNotQuick;
  if constexpr (G != 8) {
    // The word may have changed its granularity meanwhile: then the record is in the wrong place,
    // and the full path, which knows how to take it back, does the access again.
    if (load_acquire(&word->write) != split_mark(G)) return Quick::kNotQuick;
  }
  return Quick::kRecorded;
}

}  // namespace bigfoot::rt
