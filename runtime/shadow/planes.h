// The planes: from an address to its cell. See abi/layout.h for the picture.
#pragma once

#include "runtime/shadow/cell.h"
#include "runtime/sys/sys.h"

// The directories are read by instrumented code, hence C names and default visibility.
extern "C" {
extern bigfoot::rt::u64 __bf_shadow_1[];
extern bigfoot::rt::u64 __bf_shadow_2[];
extern bigfoot::rt::u64 __bf_shadow_4[];
extern bigfoot::rt::u64 __bf_shadow_8[];
}

namespace bigfoot::rt::shadow {

template <unsigned G>
inline u64* directory() {
  static_assert(G == 1 || G == 2 || G == 4 || G == 8);
  if constexpr (G == 1)
    return __bf_shadow_1;
  else if constexpr (G == 2)
    return __bf_shadow_2;
  else if constexpr (G == 4)
    return __bf_shadow_4;
  else
    return __bf_shadow_8;
}

// Whether the address can have shadow at all (user half of the address space).
inline bool covers(uptr a) {
  return (a >> abi::kAddressBits) == 0;
}

// Makes the region of `a` in plane G; returns its directory entry. Thread-safe.
template <unsigned G>
u64 create_region(uptr a);

// The cell for the piece of G bytes that contains `a`.
// REQUIRES: covers(a).
template <unsigned G>
inline Cell* cell(uptr a) {
  u64 entry = load_acquire(&directory<G>()[a >> abi::kRegionBits]);
  if (BF_UNLIKELY(entry == 0)) entry = create_region<G>(a);
  return reinterpret_cast<Cell*>(entry + (a & ~uptr{G - 1}) * (abi::kCellBytes / G));
}
// The same, null where nothing was ever recorded.
template <unsigned G>
inline Cell* cell_if_present(uptr a) {
  u64 entry = load_acquire(&directory<G>()[a >> abi::kRegionBits]);
  if (entry == 0) return nullptr;
  auto* found = reinterpret_cast<Cell*>(entry + (a & ~uptr{G - 1}) * (abi::kCellBytes / G));
  __builtin_assume(found != nullptr);
  return found;
}

// A sweep over an array meets fresh shadow page by page. The inlined test reads a page first, which
// maps the shared page of zeros; the record that follows has to replace it, and that interrupts
// every other processor the program runs on (crypt, size A: 82000 faults, 5600 with chunks). So the
// shadow of a program's memory is also divided into chunks, and a sweep that enters one from the
// chunk before gets all of its pages at once.
inline constexpr usize kChunkBytes = usize{64} << 10;  // of shadow
template <unsigned G>
constexpr bool starts_chunk(uptr a) {
  return (a & (kChunkBytes / abi::kCellBytes * G - 1)) == 0;
}
// Whether first records are left to the full path, which counts them: somebody wants to know how
// the planes grow. Set before there are threads.
inline constinit bool first_records_are_counted = false;

// REQUIRES: starts_chunk<G>(a), covers(a). Does nothing if the chunk is in use, or not being swept.
template <unsigned G>
void expect_sweep(uptr a);

// The same page by page, for walks over ranges that are too short to fill chunks: before the first
// cell of a page is read, it is written, unchanged. (montecarlo: a fifth of its time was those
// interrupts.)
class PagesOfAWalk {
 public:
  explicit PagesOfAWalk(usize bytes) : worth_it_(bytes >= kLongBytes) {}

  // The walk comes to the cell of `a` in plane G.
  template <unsigned G>
  [[gnu::always_inline]] void enter(uptr a) {
    constexpr usize kCellsPerPage = 4096 / abi::kCellBytes;
    const uptr page = a / (kCellsPerPage * G);
    if (BF_LIKELY(page == page_ || !worth_it_)) return;
    page_ = page;
    touch<G>(a);
  }

 private:
  static constexpr usize kLongBytes = 256;

  template <unsigned G>
  static void touch(uptr a) {
    if (starts_chunk<G>(a)) return;  // expect_sweep() does more at once
    Cell* c = cell_if_present<G>(a);
    // A locked no-op, which no compiler turns into a load.
    if (c != nullptr) asm volatile("lock orl $0, %0" : "+m"(c->write));
  }

  uptr page_ = ~uptr{0};
  bool worth_it_;
};

// Address space reserved for shadow, and the number of regions made, per plane index 0..3.
struct Usage {
  u64 regions[abi::kPlaneCount] = {};
};
Usage usage();

// Words that have a history of their own or share one (group.h), over all of plane 8. A walk over
// the resident shadow.
struct WordCounts {
  u64 with_history = 0;  // as a whole; divided words are not counted
  u64 followers = 0;
};
WordCounts count_words();

inline constexpr usize kCellsPerPage = sys::kPageBytes / sizeof(Cell);

namespace detail {
void for_each_page(void (*visit)(void* context, unsigned granularity, Cell* page), void* context);
}
// Calls `visit(granularity, first cell)` for every page of every plane that holds anything.
template <class Visit>
void for_each_page(Visit visit) {
  detail::for_each_page([](void* context, unsigned granularity,
                           Cell* page) { (*static_cast<Visit*>(context))(granularity, page); },
                        &visit);
}

}  // namespace bigfoot::rt::shadow
