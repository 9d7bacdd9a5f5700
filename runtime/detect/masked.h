// Accesses to some bytes of a word by its masks (shadow/masked.h): the rules of rules.h, on one
// write record and one read record that speak for the bytes they name.
//
// Whatever would need a second stamp for either is left to the detector, which divides the word.
#pragma once

#include "runtime/detect/claims.h"
#include "runtime/shadow/masked.h"

namespace bigfoot::rt {

// Whether the history of a word may be kept by masks, as far as its present form tells.
constexpr bool may_be_masked(const Cell& c) {
  if (BF_UNLIKELY(c.torn())) return false;
  if (is_special(c.write)) return is_masked(c.write);
  return !c.has_sync() && group_words(c) == 1 && !c.read_by_many();
}

constexpr u64 low_half(const Cell& c) {
  return c.write | static_cast<u64>(c.write_origin) << 32;
}
constexpr u64 high_half(const Cell& c) {
  return c.read | static_cast<u64>(c.read_origin) << 32;
}
constexpr Cell cell_of(u64 low, u64 high) {
  return {static_cast<u32>(low), static_cast<u32>(low >> 32), static_cast<u32>(high),
          static_cast<u32>(high >> 32)};
}

namespace detail {
// Whether one stamp is enough for what remains of the writes, or of the reads: those of other
// epochs speak for no byte beyond the ones accessed.
template <bool kWrites>
constexpr bool fits(const Masked& m, u32 mask, u32 mine) {
  if constexpr (kWrites) return m.write == mine || (m.wrote & ~mask) == 0;
  return m.read == mine || (m.did_read & ~mask) == 0;
}

// Whether all that the access has to be ordered after is so. A concurrent read has to be kept
// beside a read, for which there is no room.
inline bool is_ordered(const Masked& m, u32 mask, const Observer& me) {
  const auto before = [&](u32 bytes, u32 stamp) {
    // Of halves that are of different ages there may be no stamp; then nothing is recorded.
    return (bytes & mask) == 0 || stamp == raw(me.stamp) || stamp == 0 ||
           happened_before(Stamp{stamp}, me);
  };
  return before(m.wrote, m.write) && before(m.did_read, m.read);
}

// False: no room for another mosaic.
template <bool kWrites>
[[gnu::always_inline]] inline bool add_record(Masked& m, u32 mask, u32 mine, Origin from,
                                              MosaicSteps& steps) {
  u32& stamp = kWrites ? m.write : m.read;
  u32& bytes = kWrites ? m.wrote : m.did_read;
  MosaicId& origins = kWrites ? m.writers : m.readers;
  if (stamp != mine) {
    stamp = mine;
    bytes = mask;
    origins = steps.all(from);
  } else {
    bytes |= mask;
    origins = steps.with(origins, mask, from);
  }
  if (kWrites) m.did_read &= ~mask;
  if (m.did_read == 0) {
    m.read = 0;
    m.readers = kEmptyMosaic;
  }
  return origins != kNoMosaic;
}

[[gnu::always_inline]] inline bool view(const Cell& seen, MosaicSteps& steps, Masked& out) {
  if (!is_masked(seen.write)) return Masked::of_whole(seen, steps, out);
  out = Masked::of(seen);
  return true;
}
inline bool is_ordered(const Cell& seen, u32 mask, const Observer& me, MosaicSteps& steps) {
  Masked m;
  return !view(seen, steps, m) || is_ordered(m, mask, me);
}
}  // namespace detail

// Records an access to more bytes from one place, as Masked::add_alike() says. The halves are those
// of `word`, `all` is the mosaic of `from`. REQUIRES: the epoch has claimed the block.
template <bool kWrites>
[[gnu::always_inline]] inline bool record_alike(Cell* word, u64 low, u64 high, u32 mask, u32 mine,
                                                Origin from, MosaicId all) {
  if (!Masked::add_alike<kWrites>(low, high, mask, mine, all)) return false;
  if (!kWrites || BF_LIKELY(!Masked::is_full<true>(static_cast<u32>(low)))) {
    store_relaxed(reinterpret_cast<u64*>(word), low);
    return true;
  }
  Cell whole = written(mine, raw(from));
  whole.write_origin |= Masked::without_records(cell_of(low, high)).write_origin;
  store_cell(word, whole);
  return true;
}

// Records an access of the epoch `mine` to the bytes in `mask`. False: nothing was done, the
// detector has to do it. REQUIRES: may_be_masked(seen), the epoch has claimed the block.
template <bool kWrites>
[[gnu::always_inline]] inline bool record_claimed_by_mask(Cell* word, const Cell& seen, u32 mask,
                                                          u32 mine, Origin from,
                                                          MosaicSteps& steps) {
  if (BF_LIKELY(is_masked(seen.write))) {
    u64 low = low_half(seen), high = high_half(seen);
    if (record_alike<kWrites>(word, low, high, mask, mine, from, steps.all(from))) return true;
    if (BF_LIKELY(Masked::add<kWrites>(low, high, mask, mine, from, steps))) {
      Cell next = cell_of(low, high);
      if (BF_UNLIKELY(Masked::is_full<kWrites>(next.write))) next = Masked::of(next).cell();
      store_cell(word, next);
      return true;
    }
  }
  Masked m;
  if (!detail::view(seen, steps, m)) return false;
  if (is_settled<kWrites>(m, mask, mine)) return true;
  if (!detail::fits<kWrites>(m, mask, mine)) return false;
  if (!detail::add_record<kWrites>(m, mask, mine, from, steps)) return false;
  store_cell(word, m.cell());
  return true;
}
// The same by an observer that has the right to the block.
template <bool kWrites>
[[gnu::always_inline]] inline bool record_by_mask(Right right, Cell* word, const Cell& seen,
                                                  u32 mask, const Observer& me, Origin from,
                                                  MosaicSteps& steps) {
  BF_DCHECK(right != Right::kClaimed || detail::is_ordered(seen, mask, me, steps));
  if (BF_LIKELY(right == Right::kClaimed))
    return record_claimed_by_mask<kWrites>(word, seen, mask, raw(me.stamp), from, steps);
  Masked m;
  if (!detail::view(seen, steps, m) || !detail::fits<kWrites>(m, mask, raw(me.stamp)) ||
      !detail::is_ordered(m, mask, me))
    return false;
  return detail::add_record<kWrites>(m, mask, raw(me.stamp), from, steps) &&
         replace_cell(word, seen, m.cell());
}

// Whether the epoch `mine` has accessed all bytes in `mask` so already. The halves are looked at
// one after the other: nobody but this thread makes its stamp the second one's, but a handler of
// its signals may do so between the two, so the first one has to be the same afterwards.
template <bool kWrites>
[[gnu::always_inline]] inline bool is_settled_by_mask(const Cell* word, u32 mask, u32 mine) {
  const auto* half = reinterpret_cast<const u64*>(word);
  const u64 low = load_acquire(&half[0]);
  if (BF_LIKELY(!is_masked(static_cast<u32>(low)))) return false;
  const u64 high = load_acquire(&half[1]);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (BF_UNLIKELY(load_acquire(&half[0]) != low || !has_masked_tag(static_cast<u32>(high))))
    return false;
  return is_settled<kWrites>(Masked::of(cell_of(low, high)), mask, mine);
}

}  // namespace bigfoot::rt
