// The shortcut for the two commonest outcomes of an access: nothing to do ([... SAME EPOCH]), or
// the first access of an epoch to memory whose history is all ordered before it ([... EXCLUSIVE]).
//
// Where a cell tells of concurrent reads, the caller may offer the rules themselves (quick_rules)
// for this one cell; data that many threads read is made of such accesses. Everything else
// (conflicts, words that have to be split or joined, contention) goes through detector.h; this one
// decides nothing that would be decided otherwise there, and the tests run every trace with and
// without it. It exists because programs that sweep over their arrays between two barriers are made
// of first accesses: here everything is in registers, and nothing is called on the usual way. The
// compare-and-swap alone is 3.5 ns on an AMD processor and 10 on an Intel one; blocks that the
// epoch has claimed (shadow/claims.h) do without.
#pragma once

#include "runtime/detect/claims.h"
#include "runtime/detect/detector_impl.h"
#include "runtime/detect/masked.h"
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
  kByRules,  // recorded by quick_rules, perhaps in a set of reads
  // Recorded, but the word was split or joined meanwhile, and taken back where no part has it, or
  // its memory has begun anew: the full path does it again.
  kMisplaced,
};

// The rules on one cell that is known to be the right one. kNotQuick if there is a conflict, which
// is the detector's to tell, or the cell has changed.
template <bool kWrites>
inline Quick quick_step(Cell* cell, const Cell& seen, Accessor& who) {
  if (is_special(seen.write) || seen.torn()) return Quick::kNotQuick;
  const Step s = detail::step<kWrites>(seen, who, StepFor::kOneCell);
  if (s.conflict) return Quick::kNotQuick;
  if (!(s.next == seen) && !replace_cell(cell, seen, s.next)) return Quick::kNotQuick;
  if (who.rule_counts != nullptr) ++who.rule_counts[static_cast<usize>(s.rule)];
  return Quick::kByRules;
}
// [READ SHARE] in place (rules.h), with the second look at the cell that it asks for.
// REQUIRES: the cell holds records.
template <class OriginSource>
[[gnu::always_inline]] inline Quick quick_in_place(const Cell* cell, const Cell& seen,
                                                   const Observer& me, ReadSets& sets,
                                                   u64* rule_counts, OriginSource&& origin) {
  BF_DCHECK(!is_special(seen.write));
  if (!read_in_place(seen, me, sets, origin)) return Quick::kNotQuick;
  if (rule_counts != nullptr) ++rule_counts[static_cast<usize>(Rule::kReadShare)];
  return BF_LIKELY(is_whole_as_seen(cell, seen)) ? Quick::kByRules : Quick::kMisplaced;
}
// The rules, in place if that may be.
template <bool kWrites>
inline Quick quick_rules(Cell* cell, const Cell& seen, Accessor& who) {
  if constexpr (!kWrites) {
    const auto origin = [&] { return who.origin(); };
    const Quick q = quick_in_place(cell, seen, who.me, who.sets, who.rule_counts, origin);
    if (q != Quick::kNotQuick) return q;
  }
  return quick_step<kWrites>(cell, seen, who);
}

// What the functions below ask for it:
//   Quick operator()(Cell* cell, const Cell& seen);
//   bool still_recorded(const Cell* cell);
//   bool shared(u32 read);  // [READ SHARED]: the set of reads has that of this epoch
//   MosaicSteps* steps();   // of the thread; null: words are not kept by masks
//   bool wants_masks();     // halves and quarters of words with a history go by masks
struct NoRules {
  MosaicSteps* steps() const { return nullptr; }
  bool wants_masks() const { return false; }
  Quick operator()(Cell*, const Cell&) const { return Quick::kNotQuick; }
  bool shared(u32) const { return false; }
  bool still_recorded(const Cell*) const { return false; }
};

namespace detail {
// Whether the history of a piece is kept in plane G and no atomic lives in its word, as the first
// half of the word's cell tells. Plain accesses to words with atomics in them have to ask those.
template <unsigned G>
constexpr bool kept_in_plane(u64 half, uptr a) {
  if constexpr (G == 1)
    return half >> 32 == 0 && is_part<1>(static_cast<u32>(half), a & 7);
  else
    return half == Division::pieces(G).mark();
}
template <unsigned G>
inline bool kept_in_plane(const Cell* word, uptr a) {
  return kept_in_plane<G>(load_acquire(reinterpret_cast<const u64*>(word)), a);
}

// Whether this epoch has accessed the whole word so, and nobody has divided it since.
template <bool kWrites>
inline bool whole_is_settled(const Cell* word, const Observer& me) {
  return load_relaxed(kWrites ? &word->write : &word->read) == raw(me.stamp);
}

// Whether an access needs all that the cell speaks for: a word of a group has to leave it first,
// unless there is nothing to record.
enum class Extent : u8 { kAll, kWordOfMany };

// [READ EXCLUSIVE] or [WRITE EXCLUSIVE] in a block that the epoch has claimed. A read leaves what
// the cell tells of the write.
template <bool kWrites>
[[gnu::always_inline]] inline void record_claimed(Cell* cell, const Cell& seen, u32 mine,
                                                  u32 from) {
  auto* half = reinterpret_cast<u64*>(cell);
  const u64 record = mine | static_cast<u64>(from) << 32;
  store_relaxed(&half[1], record);
  if constexpr (kWrites)
    store_relaxed(&half[0], record | static_cast<u64>(seen.write_origin & ~kOriginMask) << 32);
}

// The shortcut on one cell. The caller sees to it that the cell is the right one, before and after.
// `is_fresh` says whether shadow has to be made before the record. REQUIRES: `right` is not kNone.
template <bool kWrites, class IsFresh, class OriginSource, class Rules>
[[gnu::always_inline]] inline Quick quick_cell(Right right, Cell* cell, const Cell& seen,
                                               IsFresh&& is_fresh, const Observer& me,
                                               OriginSource&& origin, Rules&& rules,
                                               Extent extent = Extent::kAll) {
  const bool claimed = right == Right::kClaimed;
  if (BF_UNLIKELY(seen.has_sync())) return Quick::kNotQuick;
  u32 mine = raw(me.stamp);
  if (seen.write == mine || (!kWrites && seen.read == mine)) return Quick::kSameEpoch;
  if constexpr (!kWrites)
    if (seen.read_by_many() && !is_special(seen.write) && rules.shared(seen.read))
      return Quick::kSameEpoch;
  if (BF_UNLIKELY(extent == Extent::kWordOfMany)) return Quick::kNotQuick;
  if (seen.blank() && BF_UNLIKELY(is_fresh() || shadow::first_records_are_counted))
    return Quick::kNotQuick;
  if (BF_UNLIKELY(claimed ? is_special(seen.write) : !exclusive_before(seen, me)))
    return is_special(seen.write) ? Quick::kNotQuick : rules(cell, seen);
  u32 from = raw(origin());
  if (BF_UNLIKELY(from == raw(kNoOrigin))) return Quick::kNotQuick;
  if (BF_LIKELY(claimed)) {
    BF_DCHECK(exclusive_before(seen, me));
    record_claimed<kWrites>(cell, seen, mine, from);
    return Quick::kRecorded;
  }
  const u32 part = seen.write_origin & ~kOriginMask;
  Cell next = kWrites ? Cell{mine, from | part, mine, from}
                      : Cell{seen.write, seen.write_origin, mine, from};
  return BF_LIKELY(replace_cell(cell, seen, next)) ? Quick::kRecorded : Quick::kNotQuick;
}

// Bytes of a word whose history is, or may be, kept by masks. REQUIRES: may_be_masked(seen),
// `right` is not kNone.
template <bool kWrites, class OriginSource>
[[gnu::always_inline]] inline Quick quick_masked(Right right, Cell* word, const Cell& seen, uptr a,
                                                 u32 mask, const Observer& me,
                                                 OriginSource&& origin, MosaicSteps& steps) {
  if (is_masked(seen.write) && is_settled<kWrites>(Masked::of(seen), mask, raw(me.stamp)))
    return Quick::kSameEpoch;
  if (seen.blank() && BF_UNLIKELY(shadow::is_fresh<8>(a) || shadow::first_records_are_counted))
    return Quick::kNotQuick;
  const Origin from = origin();
  if (BF_UNLIKELY(from == kNoOrigin)) return Quick::kNotQuick;
  if (!record_by_mask<kWrites>(right, word, seen, mask, me, from, steps)) return Quick::kNotQuick;
  return right == Right::kClaimed || still_shared(a) ? Quick::kRecorded : Quick::kMisplaced;
}
// Whether a part still holds what `q` says that was recorded there.
template <class Rules>
[[gnu::always_inline]] inline bool holds(Quick q, const Cell* cell, const Observer& me,
                                         Rules&& rules) {
  return BF_LIKELY(q == Quick::kRecorded) ? still_recorded(cell, me.stamp)
                                          : rules.still_recorded(cell);
}
}  // namespace detail

constexpr bool is_recorded(Quick q) {
  return q == Quick::kRecorded || q == Quick::kByRules;
}
// Nothing is left to the full path.
constexpr bool is_done(Quick q) {
  return is_recorded(q) || q == Quick::kSameEpoch;
}
// Some cell may carry the stamp of the epoch.
constexpr bool leaves_stamp(Quick q) {
  return is_recorded(q) || q == Quick::kMisplaced;
}

// A naturally aligned access of G bytes. `origin` returns an Origin, or none if it is not at hand.
template <unsigned G, bool kWrites, class OriginSource, class Rules = NoRules>
[[gnu::always_inline]] inline Quick quick_access(uptr a, const Observer& me, OriginSource&& origin,
                                                 Rules&& rules = {}) {
  Cell* const word = shadow::cell_if_present<8>(a);
  if (BF_UNLIKELY(word == nullptr)) return Quick::kNotQuick;
  const Right right = right_to(a, me);
  if (BF_UNLIKELY(right == Right::kNone)) return Quick::kNotQuick;
  Cell* cell = word;
  if constexpr (G != 8) {
    if (detail::whole_is_settled<kWrites>(word, me)) return Quick::kSameEpoch;
    const Cell whole = load_cell(word);
    if (is_masked(whole.write) && !whole.torn() &&
        is_settled<kWrites>(Masked::of(whole), mask_of(a, G), raw(me.stamp)))
      return Quick::kSameEpoch;
    const bool by_mask = G == 1 || (rules.wants_masks() && !(whole == Cell{}));
    if (by_mask && may_be_masked(whole) && rules.steps() != nullptr)
      return detail::quick_masked<kWrites>(right, word, whole, a, mask_of(a, G), me, origin,
                                           *rules.steps());
    cell = shadow::cell_if_present<G>(a);
    if (BF_UNLIKELY(cell == nullptr)) return Quick::kNotQuick;
    if (BF_UNLIKELY(!detail::kept_in_plane<G>(word, a))) {
      const bool first = load_cell(word) == Cell{} && !shadow::is_fresh<8>(a) &&
                         !shadow::first_records_are_counted;
      if (!first || !words::divide_blank<G>(word, a, right)) return Quick::kNotQuick;
    }
  }
  Cell seen = load_cell(cell);
  if constexpr (G == 1)
    if (BF_UNLIKELY(seen.part_size() != 1)) return Quick::kNotQuick;
  auto extent = detail::Extent::kAll;
  if constexpr (G == 8)
    if (BF_UNLIKELY(group_words(seen) != 1)) extent = detail::Extent::kWordOfMany;
  if constexpr (G == 8)
    if (BF_UNLIKELY(is_masked(seen.write)) && !seen.torn() && rules.steps() != nullptr)
      return detail::quick_masked<kWrites>(right, word, seen, a, Masked::kAll, me, origin,
                                           *rules.steps());
  const auto is_fresh = [a] { return G == 8 && shadow::is_fresh<8>(a); };  // a leaf is not
  Quick q = detail::quick_cell<kWrites>(right, cell, seen, is_fresh, me, origin, rules, extent);
  if (BF_LIKELY(right == Right::kClaimed) || !is_recorded(q)) return q;
  if constexpr (G != 8)
    if (BF_UNLIKELY(!detail::kept_in_plane<G>(word, a) || !detail::holds(q, cell, me, rules))) {
      detail::take_back(word, Division::pieces(G), {a, G});
      return Quick::kMisplaced;
    }
  return still_shared(a) ? q : Quick::kMisplaced;
}

// An aligned piece of G bytes of a word that is divided into other parts.
enum class Parts : u8 {
  kNone,     // the word is not divided so
  kSettled,  // `settled` holds for all parts that have bytes of the piece
  kOpen,
};
// `settled` says of a cell that this epoch has accessed all that it speaks for. As in the inlined
// test, that is enough with respect to others: nobody but this thread puts its stamp into cells,
// except for a division, which copies it to bytes that it spoke for. But a signal handler of this
// thread may run between the looks at the mark and at a cell, and divide the word itself; so the
// mark has to be the same afterwards.
template <unsigned G, class Settled>
[[gnu::always_inline]] inline Parts look_at_parts(uptr a, Settled&& settled) {
  if constexpr (G == 8) return Parts::kNone;  // words are joined
  const Cell* word = (a & (G - 1)) == 0 ? shadow::cell_if_present<8>(a) : nullptr;
  if (word == nullptr) return Parts::kNone;
  const u32 mark = load_acquire(&word->write);
  if (!is_special(mark) || mark == kBusy) return Parts::kNone;
  const Division d(mark);
  const unsigned plane = d.plane(), from = a & 7;
  if (plane != 1 && plane != 2 && plane != 4) return Parts::kNone;
  if (plane == G && (G != 1 || is_part<1>(mark, from))) return Parts::kNone;  // one of its own
  const Cell* cells = words::with_granularity(  // those of a word are side by side
      plane, [&]<unsigned P>() -> const Cell* { return shadow::cell_if_present<P>(a & ~uptr{7}); });
  if (BF_UNLIKELY(cells == nullptr)) return Parts::kOpen;
  const auto shift = plane >> 1;  // its logarithm
  const u32 before = (1u << d.begin_of(from)) - 1;
  for (u32 starts = d.starts() & ((1u << (from + G)) - 1) & ~before; starts != 0;
       starts &= starts - 1)
    if (!settled(&cells[static_cast<unsigned>(__builtin_ctz(starts)) >> shift]))
      return Parts::kOpen;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return load_acquire(&word->write) == mark ? Parts::kSettled : Parts::kOpen;
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
  if (!fits) return Quick::kNotQuick;
  // To the blocks of all its words: whoever cuts it puts the history into theirs.
  const Right right = right_to(r.begin, me);
  const uptr last = r.begin + words * uptr{8} - 1;
  const Right behind =
      shadow::claim_begin(last) == shadow::claim_begin(r.begin) ? right : right_to(last, me);
  if (BF_UNLIKELY(right == Right::kNone || behind == Right::kNone)) return Quick::kNotQuick;
  const auto is_fresh = [] { return false; };  // the group has a history
  const Quick q = detail::quick_cell<kWrites>(right, cell, seen, is_fresh, me, origin, NoRules{});
  const bool holds = right == Right::kClaimed || !is_recorded(q) || still_shared(r.begin);
  return BF_LIKELY(holds) ? q : Quick::kMisplaced;
}

// The bytes `r` of a divided word that are one part of it. REQUIRES: the word's cell told `d`, and
// no atomic in the word; `right` is not kNone. Anything but kRecorded and kSameEpoch leaves the
// access to the full path.
template <bool kWrites, class OriginSource, class Rules = NoRules>
[[gnu::always_inline]] inline Quick quick_part(Right right, Cell* word, Division d, ByteRange r,
                                               const Observer& me, OriginSource&& origin,
                                               Rules&& rules = {}) {
  Cell* cell = shadow::cell_if_present<1>(r.begin);
  if (BF_UNLIKELY(cell == nullptr)) return Quick::kNotQuick;
  Cell seen = load_cell(cell);
  if (BF_UNLIKELY(seen.part_size() != r.size)) return Quick::kNotQuick;
  const auto is_fresh = [] { return false; };  // it is in a leaf
  Quick q = detail::quick_cell<kWrites>(right, cell, seen, is_fresh, me, origin, rules);
  if (BF_LIKELY(right == Right::kClaimed)) return q;
  // Also if an atomic has come to live in the word: it may have looked before this was recorded.
  const auto* half = reinterpret_cast<const u64*>(word);
  if (is_recorded(q) &&
      BF_UNLIKELY(load_acquire(half) != d.mark() || !detail::holds(q, cell, me, rules))) {
    detail::take_back(word, d, r);
    return Quick::kMisplaced;
  }
  return q;
}

}  // namespace bigfoot::rt
