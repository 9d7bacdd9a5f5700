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
// The same for the leaf. REQUIRES: G is not 8.
template <unsigned G>
u64 create_leaf(uptr a);

namespace detail {
// Where the directory's entry of a region says that the leaf of `a` is.
template <unsigned G>
inline u64* leaf_entry(u64 region, uptr a) {
  return reinterpret_cast<u64*>(region + (a >> abi::leaf_shift(G)) * sizeof(u64));
}
// What the cell of `a` is counted from, as inlined tests find it; 0: nothing.
template <unsigned G>
[[gnu::always_inline]] inline u64 cells_of(uptr a) {
  const u64 region = load_acquire(&directory<G>()[a >> abi::kRegionBits]);
  if constexpr (G == 8) return region;
  return BF_LIKELY(region != 0) ? load_acquire(leaf_entry<G>(region, a)) : 0;
}
// Where such a count leads.
template <unsigned G>
[[gnu::always_inline]] inline Cell* cell_from(u64 cells, uptr a) {
  return reinterpret_cast<Cell*>(cells + (a & ~uptr{G - 1}) * (abi::kCellBytes / G));
}

// A leaf whose cells are blank for ever, for all who want inlined tests to find one without having
// anything to record: a program that has one thread, whose tests pass on blank cells.
extern const Cell no_records[abi::kLeafCells];
inline bool is_no_record(const Cell* c) {
  return reinterpret_cast<uptr>(c) - reinterpret_cast<uptr>(no_records) < sizeof(no_records);
}
template <unsigned G>
inline u64 create_cells(uptr a) {
  if constexpr (G == 8)
    return create_region<G>(a);
  else
    return create_leaf<G>(a);
}
}  // namespace detail

// The cell for the piece of G bytes that contains `a`. Those of one word lie side by side.
// REQUIRES: covers(a).
template <unsigned G>
inline Cell* cell(uptr a) {
  const u64 cells = detail::cells_of<G>(a);
  Cell* found = detail::cell_from<G>(cells, a);
  if (BF_LIKELY(cells != 0 && (G == 8 || !detail::is_no_record(found)))) return found;
  return detail::cell_from<G>(detail::create_cells<G>(a), a);
}
// The same, null where there is none: nothing was ever recorded there.
template <unsigned G>
inline Cell* cell_if_present(uptr a) {
  const u64 cells = detail::cells_of<G>(a);
  Cell* found = detail::cell_from<G>(cells, a);
  if (cells == 0 || (G != 8 && detail::is_no_record(found))) return nullptr;
  __builtin_assume(found != nullptr);
  return found;
}
// Inlined tests find a cell for `a` from now on, if only a blank one.
template <unsigned G>
void let_tests_find(uptr a);
template <>
void let_tests_find<8>(uptr a);

// Fresh shadow. Whoever reads a page of it first maps the shared page of zeros there; the record
// that follows has to replace that, which interrupts every other processor the program runs on: a
// fault of several microseconds, twice for each page. So plane 8 is made present a block at a time,
// before the first record in it, and a byte for each block tells that it has been; so are the
// tables of leaves. Leaves come in larger pieces, and are present when they are made (unless
// somebody counts, see below).
inline constexpr usize kBlockBytes = usize{16} << 10;
// Blocks that are made at once if the one before is in use: a sweep goes on.
inline constexpr usize kBlocksOfASweep = 4;

// How many bytes of the program a block of plane 8 speaks for, or a leaf.
template <unsigned G>
inline constexpr usize kBytesMadeAtOnce =
    G == 8 ? kBlockBytes / abi::kCellBytes* G : usize{1} << abi::leaf_shift(G);

template <unsigned G>
constexpr unsigned plane_index() {
  return G == 1 ? 0 : G == 2 ? 1 : G == 4 ? 2 : 3;
}
// Of each region: the blocks of its cells or of its table of leaves, in the order of their
// addresses; 0: nothing was recorded there. Null where there is no region. A hint: what is written
// without it comes page by page.
extern u8* blocks_in_use[abi::kPlaneCount][abi::kRegionCount];

constexpr usize block_of(uptr a) {
  return (a & (abi::kRegionBytes - 1)) / kBytesMadeAtOnce<8>;
}
// Whether something has to be made present before anything is recorded for `a` in plane G.
template <unsigned G>
inline bool is_fresh(uptr a) {
  if constexpr (G != 8) return cell_if_present<G>(a) == nullptr;
  const u8* blocks = load_relaxed(&blocks_in_use[plane_index<G>()][a >> abi::kRegionBits]);
  return blocks == nullptr || load_relaxed(&blocks[block_of(a)]) == 0;
}
// REQUIRES: covers(a). Returns the number of pages that this may have taken.
template <unsigned G>
usize make_present(uptr a);
template <>
usize make_present<8>(uptr a);
// After all pages of the planes have been given back or blanked: leaves are made anew. REQUIRES:
// nobody else is inside the run time.
void start_over();

// Whether first records are left to the full path, which counts them: somebody wants to know how
// the planes grow. Set before there are threads.
inline constinit bool first_records_are_counted = false;

// For walks over ranges: asks once for each block, before its cells are read.
class BlocksOfAWalk {
 public:
  // The walk comes to the cell of `a` in plane G.
  template <unsigned G>
  [[gnu::always_inline]] void enter(uptr a) {
    const uptr block = a / kBytesMadeAtOnce<G>;
    if (BF_LIKELY(block == block_)) return;
    block_ = block;
    if (BF_UNLIKELY(is_fresh<G>(a)) && !first_records_are_counted) make_present<G>(a);
  }

 private:
  uptr block_ = ~uptr{0};
};

// The number of regions made, per plane index 0..3.
struct Usage {
  u64 regions[abi::kPlaneCount] = {};
};
Usage usage();

// Pages that the tables of leaves take, and claims.
usize pages_of_tables();

void before_fork();
void after_fork();  // in parent and child

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
