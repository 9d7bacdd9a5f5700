// The shortcut for the two commonest outcomes of an access: nothing to do ([... SAME EPOCH]), or
// the first access of an epoch to memory whose history is all ordered before it ([... EXCLUSIVE]).
//
// Everything else (sharing, conflicts, words that have to be split or joined, contention) goes
// through detector.h, which knows all rules; this one decides nothing they would decide otherwise,
// and the tests run every trace with and without it. It exists because programs that sweep over
// their arrays between two barriers are made of first accesses: here everything is in registers,
// and nothing is called on the usual way. The compare-and-swap alone is 3.5 ns.
#pragma once

#include "runtime/detect/rules.h"
#include "runtime/detect/words.h"
#include "runtime/shadow/group.h"
#include "runtime/shadow/planes.h"

namespace bigfoot::rt {

// happened_before() for what is not the thread's own recent past. Its own function, so that the
// registers it needs are saved only then.
BF_SPARE bool happened_before_elsewhere(u32 stamp, const VectorClock& knows, Slot slot,
                                        const StampTable& stamps);

[[gnu::always_inline]] inline bool nothing_or_before(u32 stamp, const Observer& me, u32& ordered) {
  if (stamp == 0 || StampTable::same_chunk(Stamp{stamp}, me.stamp)) return true;
  if (stamp == ordered) return true;
  if (!happened_before_elsewhere(stamp, me.knows, me.slot, me.stamps)) return false;
  ordered = stamp;
  return true;
}

// Whether everything in the cell is single and ordered before the access. The same for reads and
// writes: a concurrent read conflicts with a write, and has to be kept beside a read.
[[gnu::always_inline]] inline bool exclusive_before(const Cell& c, const Observer& me) {
  if (BF_UNLIKELY(is_special(c.read | c.write))) return false;
  if (!nothing_or_before(c.write, me, me.ordered_write)) return false;
  return c.read == c.write || nothing_or_before(c.read, me, me.ordered_read);
}

enum class Quick : u8 {
  kNotQuick,   // nothing was done: the full path does the access
  kSameEpoch,  // nothing had to be done
  kRecorded,
  kMisplaced,  // recorded, but the word was split or joined meanwhile: the full path does it again
};

namespace detail {
// Where the history of a piece is kept in plane G and no atomic lives in its word: the first half
// of the word's cell. Plain accesses to words with atomics in them have to ask those.
template <unsigned G>
inline bool kept_in_plane(const Cell* word, uptr a) {
  const u64 half = load_acquire(reinterpret_cast<const u64*>(word));
  if constexpr (G == 1)
    return half >> 32 == 0 && is_byte_part(static_cast<u32>(half), a & 7);
  else
    return half == Division::pieces(G).mark();
}

// Whether this epoch has accessed the whole word so, and nobody has divided it since.
template <bool kWrites>
inline bool whole_is_settled(const Cell* word, const Observer& me) {
  return load_relaxed(kWrites ? &word->write : &word->read) == raw(me.stamp);
}

// Whether an access needs all that the cell speaks for: a word of a group has to leave it first,
// unless there is nothing to record.
enum class Extent : u8 { kAll, kWordOfMany };

// The shortcut on one cell. The caller sees to it that the cell is the right one, before and after.
template <bool kWrites, class OriginSource>
[[gnu::always_inline]] inline Quick quick_cell(Cell* cell, const Cell& seen, bool starts_chunk,
                                               const Observer& me, OriginSource&& origin,
                                               Extent extent = Extent::kAll) {
  if (BF_UNLIKELY(seen.has_sync())) return Quick::kNotQuick;
  u32 mine = raw(me.stamp);
  if (seen.write == mine || (!kWrites && seen.read == mine)) return Quick::kSameEpoch;
  if (BF_UNLIKELY(extent == Extent::kWordOfMany)) return Quick::kNotQuick;
  if (BF_UNLIKELY(seen.blank() && (starts_chunk || shadow::first_records_are_counted)))
    return Quick::kNotQuick;
  if (BF_UNLIKELY(!exclusive_before(seen, me))) return Quick::kNotQuick;
  u32 from = raw(origin());
  if (BF_UNLIKELY(from == raw(kNoOrigin))) return Quick::kNotQuick;
  const u32 part = seen.write_origin & ~kOriginMask;
  Cell next = kWrites ? Cell{mine, from | part, mine, from}
                      : Cell{seen.write, seen.write_origin, mine, from};
  return BF_LIKELY(replace_cell(cell, seen, next)) ? Quick::kRecorded : Quick::kNotQuick;
}
}  // namespace detail

// A naturally aligned access of G bytes. `origin` returns an Origin, or none if it is not at hand.
template <unsigned G, bool kWrites, class OriginSource>
[[gnu::always_inline]] inline Quick quick_access(uptr a, const Observer& me,
                                                 OriginSource&& origin) {
  Cell* cell = shadow::cell_if_present<G>(a);
  if (BF_UNLIKELY(cell == nullptr)) return Quick::kNotQuick;
  Cell* word = cell;
  if constexpr (G != 8) {
    word = shadow::cell_if_present<8>(a);
    if (BF_UNLIKELY(word == nullptr)) return Quick::kNotQuick;
    if (BF_UNLIKELY(!detail::kept_in_plane<G>(word, a))) {
      if (detail::whole_is_settled<kWrites>(word, me)) return Quick::kSameEpoch;
      const bool first = load_cell(word) == Cell{} && !shadow::starts_chunk<8>(a & ~uptr{7}) &&
                         !shadow::first_records_are_counted;
      if (!first || !words::divide_blank<G>(word, a)) return Quick::kNotQuick;
    }
  }
  Cell seen = load_cell(cell);
  if constexpr (G == 1)
    if (BF_UNLIKELY(seen.part_size() != 1)) return Quick::kNotQuick;
  auto extent = detail::Extent::kAll;
  if constexpr (G == 8)
    if (BF_UNLIKELY(group_words(seen) != 1)) extent = detail::Extent::kWordOfMany;
  Quick q = detail::quick_cell<kWrites>(cell, seen, shadow::starts_chunk<G>(a), me, origin, extent);
  if constexpr (G != 8)
    if (q == Quick::kRecorded &&
        BF_UNLIKELY(!detail::kept_in_plane<G>(word, a) || !still_recorded(cell, me.stamp)))
      return Quick::kMisplaced;
  return q;
}

// All words of the group that begins at `a`, if it ends where `r` does or before; `words` gets
// their number. kNotQuick if no group begins there.
template <bool kWrites, class OriginSource>
[[gnu::always_inline]] inline Quick quick_group(ByteRange r, const Observer& me,
                                                OriginSource&& origin, unsigned& words) {
  Cell* cell = shadow::cell_if_present<8>(r.begin);
  if (BF_UNLIKELY(cell == nullptr)) return Quick::kNotQuick;
  const Cell seen = load_cell(cell);
  words = group_words(seen);
  const bool fits = !is_special(seen.write) && words > 1 && words * usize{8} <= r.size;
  return fits ? detail::quick_cell<kWrites>(cell, seen, false, me, origin) : Quick::kNotQuick;
}

// The bytes `r` of a divided word that are one part of it. REQUIRES: the word's cell told `d`, and
// no atomic in the word. Anything but kRecorded and kSameEpoch leaves the access to the full path.
template <bool kWrites, class OriginSource>
[[gnu::always_inline]] inline Quick quick_part(const Cell* word, Division d, ByteRange r,
                                               const Observer& me, OriginSource&& origin) {
  Cell* cell = shadow::cell_if_present<1>(r.begin);
  if (BF_UNLIKELY(cell == nullptr)) return Quick::kNotQuick;
  Cell seen = load_cell(cell);
  if (BF_UNLIKELY(seen.part_size() != r.size)) return Quick::kNotQuick;
  Quick q = detail::quick_cell<kWrites>(cell, seen, shadow::starts_chunk<1>(r.begin), me, origin);
  // Also if an atomic has come to live in the word: it may have looked before this was recorded.
  const auto* half = reinterpret_cast<const u64*>(word);
  if (q == Quick::kRecorded &&
      BF_UNLIKELY(load_acquire(half) != d.mark() || !still_recorded(cell, me.stamp)))
    return Quick::kMisplaced;
  return q;
}

}  // namespace bigfoot::rt
