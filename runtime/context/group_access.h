// Checks of fields that belong together: what instrumented code calls when its inlined test did not
// settle one. As slow_path.h, for words that may share one history.
#pragma once

#include "runtime/context/slow_path.h"

namespace bigfoot::rt {

// By the full rules, whatever state the thread and the words are in. What cannot be done as one is
// done piece by piece, each with its own place in the program.
template <bool kWrites>
BF_SPARE void full_group(uptr a, const GroupSite& site);

BF_SPARE void add_group_piece(abi::GroupSite& site, u32 piece, Pc pc);

// The place of the check, in origins.
inline Pc pc_of(const GroupSite& site) {
  return reinterpret_cast<Pc>(&site);
}

namespace detail {
// The test that instrumented code has inlined (frontends/llvm/epoch_test.cpp): one cell speaks
// for all words, or each has its own.
template <bool kWrites>
[[gnu::always_inline]] inline bool inlined_group_test(uptr a, u32 words) {
  if (BF_UNLIKELY((a & 7) != 0)) return false;
  const u64 region = load_relaxed(&shadow::directory<8>()[a >> abi::kRegionBits]);
  if (BF_UNLIKELY(region == 0)) return false;
  const auto* cell = reinterpret_cast<const Cell*>(region + a * (abi::kCellBytes / 8));
  const auto mine = [](const Cell& c) {
    return kWrites ? load_relaxed(&c.write) == __bf_thread.stamp
                   : is_known_read(load_relaxed(&c.read));
  };
  const auto half = [cell] { return load_relaxed(reinterpret_cast<const u64*>(cell)); };
  const u64 count = u64{words - 1} << abi::kGroupShift;
  if constexpr (kWrites) {
    if ((half() & (abi::kGroupMask | 0xffffffffu)) == (count | __bf_thread.stamp)) return true;
  } else {
    // The number last: a signal handler of this thread may read the first word alone in between,
    // which leaves its stamp there and cuts the group; or write a byte of it, after which the half
    // is marked, and has no number.
    const bool read = mine(*cell);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (read && (half() & (abi::kGroupMask | kSpecialBit)) == count) return true;
  }
  for (u32 i = 0; i < words; ++i)
    if (!mine(cell[i])) return false;
  return true;
}

template <bool kWrites>
[[gnu::always_inline]] inline bool try_group_quickly(ByteRange r, const GroupSite& site) {
  constexpr AccessKind kKind = kWrites ? AccessKind::kWrite : AccessKind::kRead;
  Thread* t = ordinary<8>(r.begin);
  if (BF_UNLIKELY(t == nullptr || load_relaxed(&runtime.races_stop))) return false;
  bool done = false;
  if (BF_LIKELY(enter_quickly())) {
    unsigned words = 0;
    const auto origin = [&] { return quick_origin(*t, pc_of(site), kKind, r); };
    const Quick q = quick_group<kWrites>(r, observer(*t), origin, words);
    if (leaves_stamp(q)) note_recorded(*t);
    if (q == Quick::kRecorded) {
      ++t->rule_counts[static_cast<usize>(kWrites ? Rule::kWriteExclusive : Rule::kReadExclusive)];
    }
    // A smaller group is the beginning of it; the full path does the rest.
    done = is_done(q) && words * usize{8} == r.size;
  }
  leave_quickly();
  return done;
}
}  // namespace detail

template <bool kWrites>
[[gnu::always_inline]] inline void slow_group(uptr a, const GroupSite& site) {
  if (BF_LIKELY(detail::try_group_quickly<kWrites>({a, site.bytes}, site))) return;
  full_group<kWrites>(a, site);
}

}  // namespace bigfoot::rt
