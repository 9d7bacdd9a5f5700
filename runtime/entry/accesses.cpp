// The C ABI for plain accesses. See abi/entry_points.def.
#include "runtime/context/claimed_run.h"
#include "runtime/context/events.h"
#include "runtime/context/runtime.h"
#include "runtime/context/slow_path.h"
#include "runtime/entry/ways.h"

namespace bigfoot::rt {
namespace {

// Whether this epoch has accessed so every byte of [a, end), as far as whole words, masks and
// pieces of G bytes tell: the inlined test, for the few elements that a short loop goes over.
template <unsigned G, bool kWrites>
bool settled(uptr a, uptr end) {
  if ((a & (G - 1)) != 0 || !shadow::covers(a) || !shadow::covers(end)) return false;
  const u32 mine = __bf_thread.stamp;
  const auto test = [mine](const Cell* c) {
    return kWrites ? load_relaxed(&c->write) == mine
                   : detail::is_known_read(load_relaxed(&c->read));
  };
  for (uptr next; a < end; a = next) {
    next = (a & ~uptr{7}) + 8;
    if (next > end) next = end;
    const Cell* word = shadow::cell_if_present<8>(a);
    if (word == nullptr) return false;
    if (test(word) || is_settled_by_mask<kWrites>(word, mask_of(a, next - a), mine)) continue;
    if (G == 8 || !is_special(load_relaxed(&word->write))) return false;
    for (; a < next; a += G)
      if (const Cell* cell = shadow::cell_if_present<G>(a); cell == nullptr || !test(cell))
        return false;
  }
  return true;
}

template <bool kWrites>
bool few_and_settled(uptr a, uptr end, u32 size) {
  constexpr uptr kFew = 64;
  if (end - a > kFew) return false;
  switch (size) {
    case 1:
      return settled<1, kWrites>(a, end);
    case 2:
      return settled<2, kWrites>(a, end);
    case 4:
      return settled<4, kWrites>(a, end);
    case 8:
      return settled<8, kWrites>(a, end);
    default:
      return false;
  }
}

// Elements side by side that need no look for arrays, and nothing but a look or a few stores each.
template <bool kWrites>
bool elements_quickly(ByteRange all, u32 size, Pc pc) {
  if (few_and_settled<kWrites>(all.begin, all.end(), size)) return true;
  return ((all.begin | all.size) & (size - 1)) == 0 &&
         claimed_run<kWrites>(all, {0, size}, kind_of<kWrites>(), pc);
}

// Extents are differences of bounds: a loop that does not run leaves none, or a negative one.
void elements(const void* p, i64 extent, u64 step, u64 width, u32 size, AccessKind kind, Pc pc) {
  if (extent <= 0 || __bf_thread.stamp == abi::kStampSingle) return;
  const uptr begin = reinterpret_cast<uptr>(p);
  const ByteRange all{begin, static_cast<usize>(extent)};
  if (step == width && (is_write(kind) ? elements_quickly<true>(all, size, pc)
                                       : elements_quickly<false>(all, size, pc)))
    return;
  RuntimeScope scope;
  access_elements(current_thread(), {begin, static_cast<usize>(extent), step, width, size, kind},
                  pc);
}

void masked(const void* p, u32 element, u64 mask, AccessKind kind, Pc pc) {
  for (uptr a = reinterpret_cast<uptr>(p); mask != 0; mask >>= 1, a += element)
    if (mask & 1) full_range({a, element}, kind, pc);
}

void lanes(void* const* addresses, u32 count, u32 element, u64 mask, AccessKind kind, Pc pc) {
  for (u32 i = 0; i < count; ++i)
    if (mask >> i & 1) full_range({reinterpret_cast<uptr>(addresses[i]), element}, kind, pc);
}

}  // namespace
}  // namespace bigfoot::rt

using namespace bigfoot::rt;

#define BF_EXPORT extern "C" __attribute__((visibility("default")))

// What most calls need is done in a few registers; everything else is in functions of their own,
// which are jumped to, so that the return address is still the program's.
namespace bigfoot::rt {
namespace {

template <unsigned G>
BF_APART u32 update_in_planes(void* p) {
  return quick_update<G>(reinterpret_cast<uptr>(p), BF_HERE) ? 1 : 0;
}

template <bool kWrites, class... Site>
BF_APART void range_in_planes(void* p, u64 bytes, Site... site) {
  leave_sweep_of(p, site...);
  const ByteRange r{reinterpret_cast<uptr>(p), bytes};
  if (!claimed_run<kWrites>(r, r, kind_of<kWrites>(), BF_HERE)) slow_range<kWrites>(r, BF_HERE);
}
template <bool kWrites>
BF_APART void range_with_arrays(void* p, u64 bytes) {
  const Pc pc = BF_HERE;
  const ByteRange r{reinterpret_cast<uptr>(p), bytes};
  if (!claimed_run<kWrites>(r, r, kind_of<kWrites>(), pc))
    slow_range_with_arrays<kWrites>(r, pc, call_of<kWrites>(pc, bytes));
}
template <bool kWrites>
BF_APART void range_with_arrays(void* p, u64 bytes, void* site) {
  slow_range_with_arrays<kWrites>({reinterpret_cast<uptr>(p), bytes}, BF_HERE, site_of(site));
}
// The inlined test of one of several accesses side by side: that of all of them fails where they
// are in two leaves.
template <bool kWrites>
bool part_is_settled(ByteRange part) {
  switch (part.size) {
    case 1:
      return detail::inlined_test<1, kWrites>(part.begin);
    case 2:
      return detail::inlined_test<2, kWrites>(part.begin);
    case 4:
      return detail::inlined_test<4, kWrites>(part.begin);
    default:
      return false;
  }
}
// As many accesses as there are parts, at one place.
template <bool kWrites, class... Site>
BF_APART void parts_in_planes(void* p, u64 bytes, u64 size, Site... site) {
  leave_sweep_of(p, site...);
  const Pc pc = BF_HERE;
  const uptr a = reinterpret_cast<uptr>(p);
  for (u64 k = 0; k < bytes; k += size)
    if (!part_is_settled<kWrites>({a + k, size})) slow_part<kWrites>({a + k, size}, pc);
}
template <bool kWrites>
BF_APART void parts_with_arrays(void* p, u64 bytes, u64 size) {
  const Pc pc = BF_HERE;
  slow_parts_with_arrays<kWrites>({reinterpret_cast<uptr>(p), bytes}, size, pc,
                                  call_of<kWrites>(pc, bytes));
}
template <bool kWrites>
BF_APART void parts_with_arrays(void* p, u64 bytes, u64 size, void* site) {
  slow_parts_with_arrays<kWrites>({reinterpret_cast<uptr>(p), bytes}, size, BF_HERE, site_of(site));
}
// Those that were done as one step are settled when all are done one by one.
template <bool kWrites>
BF_APART void more_elements(void* p, i64 extent, u32 size) {
  elements(p, extent, size, size, size, kind_of<kWrites>(), BF_HERE);
  // The short way, which is tried before, may have been inside, and this not.
  if (BF_UNLIKELY(__bf_thread.signal_pending != 0)) [[clang::musttail]]
    return signals_waited(p, extent, size);
}
BF_APART u32 update_parts_in_planes(void* p, u64 bytes, u64 size) {
  const Pc pc = BF_HERE;
  const uptr a = reinterpret_cast<uptr>(p);
  for (u64 k = 0; k < bytes; k += size)
    if (!part_is_settled<true>({a + k, size}) && !update_part({a + k, size}, pc)) return 0;
  return 1;
}
BF_APART u32 update_range_in_planes(void* p, u64 bytes) {
  const ByteRange r{reinterpret_cast<uptr>(p), bytes};
  const bool done = claimed_run<true>(r, r, AccessKind::kWrite, BF_HERE);
  return done || quick_update(r, BF_HERE) ? 1 : 0;
}

}  // namespace
}  // namespace bigfoot::rt

// Each is declared first: the attribute would not be part of a definition's type otherwise.
#define BF_CALLED_AND_AT_SITE(name, bytes, writes)                                                 \
  BF_EXPORT BF_SPARE void name(void* p);                                                           \
  BF_EXPORT BF_SPARE void name(void* p) {                                                          \
    [[clang::musttail]] return Ways<bytes, writes, Pieces::kInCells>::behind_test(p);              \
  }                                                                                                \
  BF_EXPORT BF_SPARE void name##_at(void* p, void* site);                                          \
  BF_EXPORT BF_SPARE void name##_at(void* p, void* site) {                                         \
    [[clang::musttail]] return Ways<bytes, writes, Pieces::kInCells, void*>::behind_test(p, site); \
  }
#define BF_SIZED_ACCESS(bytes)                                                                \
  BF_CALLED_AND_AT_SITE(__bf_read##bytes, bytes, false)                                       \
  BF_CALLED_AND_AT_SITE(__bf_write##bytes, bytes, true)                                       \
  BF_EXPORT BF_SPARE u32 __bf_update##bytes(void* p);                                         \
  BF_EXPORT BF_SPARE u32 __bf_update##bytes(void* p) {                                        \
    const uptr a = reinterpret_cast<uptr>(p);                                                 \
    if (detail::try_claimed<bytes, true>(a, BF_HERE)) {                                       \
      if (BF_UNLIKELY(__bf_thread.signal_pending != 0)) deliver_pending_signals_sparing();    \
      return 1;                                                                               \
    }                                                                                         \
    if (runtime.arrays_on && !surely_in_planes<8>(a) && runtime.arrays.may_hold(a)) return 0; \
    [[clang::musttail]] return update_in_planes<bytes>(p);                                    \
  }
#define BF_WHOLE_CHECK(kind, bytes, writes)                                          \
  BF_EXPORT BF_SPARE void __bf_check_##kind##bytes(void* p);                         \
  BF_EXPORT BF_SPARE void __bf_check_##kind##bytes(void* p) {                        \
    [[clang::musttail]] return Ways<bytes, writes, Pieces::kByMask>::whole_check(p); \
  }
BF_SIZED_ACCESS(1)
BF_SIZED_ACCESS(2)
BF_SIZED_ACCESS(4)
BF_SIZED_ACCESS(8)
#define BF_WHOLE_CHECKS(bytes)       \
  BF_WHOLE_CHECK(read, bytes, false) \
  BF_WHOLE_CHECK(write, bytes, true)
BF_WHOLE_CHECKS(1)
BF_WHOLE_CHECKS(2)
BF_WHOLE_CHECKS(4)
BF_WHOLE_CHECKS(8)

// What a range and parts side by side have in common: who does it if no sweep goes on.
#define BF_BYTES(place, in_planes, with_arrays, ...)                                  \
  {                                                                                   \
    if (!runtime.arrays_on || surely_in_planes({reinterpret_cast<uptr>(p), bytes})) { \
      [[clang::musttail]] return in_planes(__VA_ARGS__);                              \
    } else if (!sweep_goes_on(place, reinterpret_cast<uptr>(p))) {                    \
      [[clang::musttail]] return with_arrays(__VA_ARGS__);                            \
    }                                                                                 \
    if (BF_UNLIKELY(__bf_thread.signal_pending != 0)) [[clang::musttail]]             \
      return signals_waited(__VA_ARGS__);                                             \
  }
#define BF_RANGE_ACCESS(name, writes)                                        \
  BF_APART static void name##_otherwise(void* p, u64 bytes)                  \
      BF_BYTES(call_of<writes>(BF_HERE, bytes), range_in_planes<writes>,     \
               range_with_arrays<writes>, p, bytes) BF_EXPORT BF_SPARE void  \
      name(void* p, u64 bytes);                                              \
  BF_EXPORT BF_SPARE void name(void* p, u64 bytes) {                         \
    const ByteRange r{reinterpret_cast<uptr>(p), bytes};                     \
    if (!detail::try_claimed_few<writes>(r, r, BF_HERE)) [[clang::musttail]] \
      return name##_otherwise(p, bytes);                                     \
    if (BF_UNLIKELY(__bf_thread.signal_pending != 0)) [[clang::musttail]]    \
      return signals_waited(p, bytes);                                       \
  }                                                                          \
  BF_EXPORT BF_SPARE void name##_at(void* p, u64 bytes, void* site);         \
  BF_EXPORT BF_SPARE void name##_at(void* p, u64 bytes, void* site)          \
      BF_BYTES(site_of(site), range_in_planes<writes>, range_with_arrays<writes>, p, bytes, site)
BF_RANGE_ACCESS(__bf_read_range, false)
BF_RANGE_ACCESS(__bf_write_range, true)
#define BF_PARTS_ACCESS(name, writes)                                                           \
  BF_EXPORT BF_SPARE void name(void* p, u64 bytes, u64 size);                                   \
  BF_EXPORT BF_SPARE void name(void* p, u64 bytes, u64 size) BF_BYTES(                          \
      call_of<writes>(BF_HERE, bytes), parts_in_planes<writes>, parts_with_arrays<writes>, p,   \
      bytes, size) BF_EXPORT BF_SPARE void name##_at(void* p, u64 bytes, u64 size, void* site); \
  BF_EXPORT BF_SPARE void name##_at(void* p, u64 bytes, u64 size, void* site) BF_BYTES(         \
      site_of(site), parts_in_planes<writes>, parts_with_arrays<writes>, p, bytes, size, site)
BF_PARTS_ACCESS(__bf_read_parts, false)
BF_PARTS_ACCESS(__bf_write_parts, true)
BF_EXPORT BF_SPARE void __bf_signals_waited();
BF_EXPORT BF_SPARE void __bf_signals_waited() {
  deliver_pending_signals();
}
BF_EXPORT BF_SPARE u32 __bf_update_range(void* p, u64 bytes);
BF_EXPORT BF_SPARE u32 __bf_update_range(void* p, u64 bytes) {
  const ByteRange r{reinterpret_cast<uptr>(p), bytes};
  if (runtime.arrays_on && !surely_in_planes(r) && may_be_in_array(r)) return 0;
  [[clang::musttail]] return update_range_in_planes(p, bytes);
}
BF_EXPORT BF_SPARE u32 __bf_update_parts(void* p, u64 bytes, u64 size);
BF_EXPORT BF_SPARE u32 __bf_update_parts(void* p, u64 bytes, u64 size) {
  const ByteRange r{reinterpret_cast<uptr>(p), bytes};
  if (runtime.arrays_on && !surely_in_planes(r) && may_be_in_array(r)) return 0;
  [[clang::musttail]] return update_parts_in_planes(p, bytes, size);
}
#define BF_ELEMENTS_ACCESS(name, writes)                                               \
  BF_EXPORT BF_SPARE void name(void* p, i64 extent, u32 size);                         \
  BF_EXPORT BF_SPARE void name(void* p, i64 extent, u32 size) {                        \
    const ByteRange all{reinterpret_cast<uptr>(p), static_cast<usize>(extent)};        \
    if (((all.begin | all.size) & (size - 1)) != 0 ||                                  \
        !detail::try_claimed_few<writes>(all, {0, size}, BF_HERE)) [[clang::musttail]] \
      return more_elements<writes>(p, extent, size);                                   \
    if (BF_UNLIKELY(__bf_thread.signal_pending != 0)) [[clang::musttail]]              \
      return signals_waited(p, extent, size);                                          \
  }
BF_ELEMENTS_ACCESS(__bf_read_elements, false)
BF_ELEMENTS_ACCESS(__bf_write_elements, true)
BF_EXPORT BF_SPARE void __bf_read_strided(void* p, i64 extent, u64 step, u64 width, u32 size);
BF_EXPORT BF_SPARE void __bf_read_strided(void* p, i64 extent, u64 step, u64 width, u32 size) {
  elements(p, extent, step, width, size, AccessKind::kRead, BF_HERE);
}
BF_EXPORT BF_SPARE void __bf_write_strided(void* p, i64 extent, u64 step, u64 width, u32 size);
BF_EXPORT BF_SPARE void __bf_write_strided(void* p, i64 extent, u64 step, u64 width, u32 size) {
  elements(p, extent, step, width, size, AccessKind::kWrite, BF_HERE);
}
BF_EXPORT void __bf_read_masked(void* p, u32 element, u64 mask) {
  masked(p, element, mask, AccessKind::kRead, BF_HERE);
}
BF_EXPORT void __bf_write_masked(void* p, u32 element, u64 mask) {
  masked(p, element, mask, AccessKind::kWrite, BF_HERE);
}
BF_EXPORT void __bf_read_lanes(void* const* p, u32 count, u32 element, u64 mask) {
  lanes(p, count, element, mask, AccessKind::kRead, BF_HERE);
}
BF_EXPORT void __bf_write_lanes(void* const* p, u32 count, u32 element, u64 mask) {
  lanes(p, count, element, mask, AccessKind::kWrite, BF_HERE);
}
// Constructors and destructors of a class hierarchy set the same pointer again and again; only a
// change can mislead a concurrent virtual call.
BF_EXPORT void __bf_write_vptr(void** p, void* value) {
  AccessKind kind = load_relaxed(p) == value ? AccessKind::kRead : AccessKind::kVptrWrite;
  full_range({reinterpret_cast<uptr>(p), sizeof(void*)}, kind, BF_HERE);
}
