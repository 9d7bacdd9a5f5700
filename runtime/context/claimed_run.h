// Runs of bytes in blocks that the epoch has claimed (shadow/claims.h): nothing there has to be
// judged and nobody is waited for, so each word takes a few stores, whether it is recorded as a
// whole or by mask. What code that moves strings and structures does most. Words of blocks among
// them that are shared are judged and recorded by the shortcut of all ranges.
#pragma once

#include "runtime/context/events.h"
#include "runtime/context/slow_path.h"

namespace bigfoot::rt {

// Longer ones are left to those who look for arrays, and let others collect meanwhile. A page of a
// data base with what surrounds it is to be among the shorter ones.
inline constexpr usize kMostBytesOfARun = 16384;

// The bytes `r`, which `access` is to be named by in reports: itself, a longer one that they belong
// to, or, if they are several side by side and naturally aligned, one from address 0 on. False:
// they are not all in blocks that are its own or shared, or something on the way is out of the
// ordinary, and all of it has to be done another way; what was recorded then does no harm.
template <bool kWrites>
BF_SPARE bool claimed_run(ByteRange r, ByteRange access, AccessKind kind, Pc pc);

// The same for accesses of `size` bytes that lie back, all with one origin. Returns the first byte
// that was not recorded so, or the end; none is if `t` is not the calling thread. REQUIRES: inside
// the run time.
uptr claimed_past(Thread& t, const Footprint& f, usize size, AccessKind kind, Origin from);

// The same for elements with gaps between them. REQUIRES: inside the run time, `t` is the calling
// thread.
bool claimed_elements(Thread& t, const ElementRange& r, Pc pc);

namespace detail {

// Bytes of one word, all if `mask` says so, unless it is divided or in a group. `origin` is asked
// only if something has to be recorded. REQUIRES: inside the run time, the epoch `mine` has claimed
// the block.
template <bool kWrites, class OriginSource>
[[gnu::always_inline]] inline bool record_in_claimed(Cell* word, uptr a, u32 mask, u32 mine,
                                                     OriginSource&& origin, MosaicSteps& steps) {
  const Cell seen = load_cell(word);
  const bool masked = is_masked(seen.write);
  if (BF_UNLIKELY(is_special(seen.write) && !masked)) return false;
  if (masked) {
    if (is_settled<kWrites>(Masked::of(seen), mask, mine)) return true;
  } else {
    if (seen.write == mine || (!kWrites && seen.read == mine)) return true;
    const bool blank = (seen.write | seen.read) == 0;
    if (BF_UNLIKELY(blank && (shadow::is_fresh<8>(a) || shadow::first_records_are_counted)))
      return false;
    if (BF_UNLIKELY(group_words(seen) != 1)) return false;
  }
  const bool whole = mask == Masked::kAll && (kWrites || !masked);
  if (BF_UNLIKELY(seen.read_by_many())) return false;
  BF_DCHECK(rt::detail::is_ordered(seen, mask, observer(*thread_or_null()), steps));
  const Origin from = origin();
  if (BF_UNLIKELY(from == kNoOrigin)) return false;
  if (!whole) return record_claimed_by_mask<kWrites>(word, seen, mask, mine, from, steps);
  rt::detail::record_claimed<kWrites>(word, masked ? Masked::without_records(seen) : seen, mine,
                                      raw(from));
  return true;
}

// A naturally aligned access to more bytes of a word that is kept by masks, from the place that
// those before came from, as the bytes of a string do. As try_claimed().
template <unsigned G, bool kWrites>
[[gnu::always_inline]] inline bool try_claimed_alike(uptr a, Pc pc) {
  return do_inside([&]() __attribute__((always_inline)) {
    if (BF_UNLIKELY(!has_usual_claim(shadow::claim_word(a)))) return false;
    const u32 mine = __bf_thread.stamp;
    Thread& t = *static_cast<Thread*>(__bf_thread.thread);
    const Origin from = recent_origin<G, kWrites>(t, pc);
    if (BF_UNLIKELY(from == kNoOrigin)) return false;
    Cell* word = shadow::detail::cell_from<8>(shadow::detail::cells_of<8>(a), a);
    const u32 mask = mask_of(a, G);
    const MosaicId all = t.mosaic_steps.known_all(from);
    const auto* halves = reinterpret_cast<const u64*>(word);
    const u64 low = load_relaxed(&halves[0]), high = load_relaxed(&halves[1]);
    BF_DCHECK(!may_be_masked(cell_of(low, high)) ||
              rt::detail::is_ordered(cell_of(low, high), mask, observer(t), t.mosaic_steps));
    if (!record_alike<kWrites>(word, low, high, mask, mine, from, all)) {
      if ((low | high) != 0 || all == kNoMosaic || shadow::is_fresh<8>(a)) return false;
      store_cell(word, Masked::first<kWrites>(mask, mine, all));
    }
    ++t.rule_counts[static_cast<usize>(kWrites ? Rule::kWriteExclusive : Rule::kReadExclusive)];
    return true;
  });
}

// A naturally aligned access to a word that is kept by masks, or is to be. As try_claimed().
template <unsigned G, bool kWrites>
[[gnu::always_inline]] inline bool try_claimed_by_mask(uptr a, Pc pc) {
  return do_inside([&]() __attribute__((always_inline)) {
    if (!has_usual_claim(shadow::claim_word(a))) return false;
    const u32 mine = __bf_thread.stamp;
    Thread& t = *static_cast<Thread*>(__bf_thread.thread);
    const auto origin = [&] { return recent_origin<G, kWrites>(t, pc); };
    Cell* word = shadow::detail::cell_from<8>(shadow::detail::cells_of<8>(a), a);
    if (!record_in_claimed<kWrites>(word, a, mask_of(a, G), mine, origin, t.mosaic_steps))
      return false;
    ++t.rule_counts[static_cast<usize>(kWrites ? Rule::kWriteExclusive : Rule::kReadExclusive)];
    return true;
  });
}

// A few bytes of one block, as short strings and small structures have. `access` as for
// claimed_run(). As try_claimed(); what was recorded before it returns false does no harm.
inline constexpr usize kFewBytesOfARun = 16;
template <bool kWrites>
[[gnu::always_inline]] inline bool try_claimed_few(ByteRange r, ByteRange access, Pc pc) {
  if (r.size - 1 >= kFewBytesOfARun || shadow::claim_begin(r.begin ^ (r.end() - 1)) != 0)
    return false;
  if (SettledBytes::contain<kWrites>(__bf_thread, r.begin, static_cast<unsigned>(r.size)))
    return true;
  if (BF_UNLIKELY(r.begin >> abi::kAddressBits != 0)) return false;
  return do_inside([&]() __attribute__((always_inline)) {
    const u64 claims = load_relaxed(&shadow::claim_directory[r.begin >> abi::kRegionBits]);
    if (claims == 0 || !has_usual_claim(shadow::claim_from(claims, r.begin))) return false;
    const u32 mine = __bf_thread.stamp;
    Thread& t = *static_cast<Thread*>(__bf_thread.thread);
    const auto origin = [&] { return recent_origin(t, pc, kind_of<kWrites>(), access); };
    Cell* word = shadow::detail::cell_from<8>(shadow::detail::cells_of<8>(r.begin), r.begin);
    uptr a = r.begin;
    for (uptr next; a < r.end(); a = next, ++word) {
      next = (a & ~uptr{7}) + 8;
      if (next > r.end()) next = r.end();
      if (!record_in_claimed<kWrites>(word, a, mask_of(a, next - a), mine, origin, t.mosaic_steps))
        return false;
    }
    SettledBytes::add<kWrites>(__bf_thread, r.begin, static_cast<unsigned>(r.size));
    ++t.rule_counts[static_cast<usize>(kWrites ? Rule::kWriteExclusive : Rule::kReadExclusive)];
    return true;
  });
}

}  // namespace detail
}  // namespace bigfoot::rt
