#include "runtime/shadow/planes.h"

#include "runtime/base/arena.h"
#include "runtime/base/check.h"
#include "runtime/base/spin_lock.h"
#include "runtime/shadow/group.h"
#include "runtime/sys/sys.h"

extern "C" {
// 16 MiB of address space each; only the pages of regions in use are ever touched.
__attribute__((visibility("default"))) bigfoot::rt::u64 __bf_shadow_1[bigfoot::abi::kRegionCount];
__attribute__((visibility("default"))) bigfoot::rt::u64 __bf_shadow_2[bigfoot::abi::kRegionCount];
__attribute__((visibility("default"))) bigfoot::rt::u64 __bf_shadow_4[bigfoot::abi::kRegionCount];
__attribute__((visibility("default"))) bigfoot::rt::u64 __bf_shadow_8[bigfoot::abi::kRegionCount];
}

namespace bigfoot::rt::shadow {
namespace {

SpinLock lock;  // guards what follows, and who adds regions
Usage in_use;

// Cells that lie side by side: a region of plane 8, or leaves. Few (a gigabyte of program memory is
// sixteen regions), so a list serves for walking them.
struct Stretch {
  Cell* cells;
  usize count;
  unsigned granularity;
  Stretch* next;
};
Stretch* stretches;

void add_stretch(void* cells, usize bytes, unsigned granularity) {
  auto* stretch = arena_new<Stretch>();
  *stretch = {static_cast<Cell*>(cells), bytes / sizeof(Cell), granularity, stretches};
  stretches = stretch;
}

// Zeroed memory for `bytes`, or the end.
void* reserve(usize bytes) {
  void* p = sys::map_memory(bytes);
  if (p == nullptr) die("cannot reserve shadow memory", "out of address space");
  return p;
}

// What the directory's entry of a region leads to: cells, or where leaves are.
template <unsigned G>
constexpr usize kRegionTableBytes = G == 8
                                        ? abi::kRegionBytes*(abi::kCellBytes / G)
                                        : (abi::kRegionBytes >> abi::leaf_shift(G)) * sizeof(u64);
template <unsigned G>
constexpr usize kBlocksPerRegion = kRegionTableBytes<G> / kBlockBytes;
// How far from its start what belongs to `a` is, if the start were that of all memory.
template <unsigned G>
constexpr u64 offset_in_table(uptr a) {
  return G == 8 ? a * (abi::kCellBytes / G) : (a >> abi::leaf_shift(G)) * sizeof(u64);
}

// Leaves of one plane that were not handed out yet. Its lock comes before the other one.
constexpr usize kLeafBytes = usize{abi::kLeafCells} * abi::kCellBytes;
constexpr usize kLeavesBytes = usize{4} << 20;     // reserved at a time
constexpr usize kLeavesPresent = usize{64} << 10;  // made present at a time
constexpr usize kMostLeavesOfASweep = 32;
struct Leaves {
  SpinLock lock;
  char* next = nullptr;
  char* present = nullptr;  // up to here; what is before it takes memory already
  char* end = nullptr;
};
template <unsigned G>
constinit Leaves leaves;

// REQUIRES: the lock of the plane's leaves.
template <unsigned G>
char* take_leaf() {
  Leaves& l = leaves<G>;
  if (l.next == l.end) {
    // A page of zeros behind them, as at the end of a region.
    l.next = l.present = static_cast<char*>(reserve(kLeavesBytes + sys::kPageBytes));
    l.end = l.next + kLeavesBytes;
    SpinGuard guard(lock);
    add_stretch(l.next, kLeavesBytes, G);
  }
  // Who counts pages wants no more of them than are used.
  if (l.next == l.present && !first_records_are_counted) {
    sys::populate_pages(l.present, kLeavesPresent);
    l.present += kLeavesPresent;
  }
  char* leaf = l.next;
  l.next += kLeafBytes;
  return leaf;
}

// Zero means "absent": what would be counted from zero exactly is left alone, and there is another
// one.
template <class Take>
u64 counted_from(u64 offset, Take take) {
  for (;;)
    if (const u64 counted = reinterpret_cast<u64>(take()) - offset; counted != 0) return counted;
}

}  // namespace

u8* blocks_in_use[abi::kPlaneCount][abi::kRegionCount];

template <unsigned G>
u64 create_region(uptr a) {
  u64* entry = &directory<G>()[a >> abi::kRegionBits];
  SpinGuard guard(lock);
  if (u64 present = load_acquire(entry)) return present;
  constexpr usize kBytes = kRegionTableBytes<G>;
  // The bytes for its blocks lie behind the cells: a small mapping of their own would take holes in
  // which the program's come back to where they were. A page of zeros is between them, which
  // inlined tests of several words at the end of the region may read.
  constexpr usize kAll = kBytes + sys::kPageBytes + kBlocksPerRegion<G>;
  char* table = nullptr;
  const u64 counted = counted_from(offset_in_table<G>(a & ~uptr{abi::kRegionBytes - 1}),
                                   [&] { return table = static_cast<char*>(reserve(kAll)); });
  if constexpr (G == 8) add_stretch(table, kBytes, G);
  ++in_use.regions[plane_index<G>()];
  store_relaxed(&blocks_in_use[plane_index<G>()][a >> abi::kRegionBits],
                reinterpret_cast<u8*>(table) + kBytes + sys::kPageBytes);
  store_release(entry, counted);
  return counted;
}

template u64 create_region<1>(uptr);
template u64 create_region<2>(uptr);
template u64 create_region<4>(uptr);
template u64 create_region<8>(uptr);

alignas(kLeafBytes) constinit const Cell detail::no_records[abi::kLeafCells] = {};

namespace {

// Where the leaf of `a` is told, in a table that may be written to. REQUIRES: the lock of the
// plane's leaves.
template <unsigned G>
u64* present_entry(u64 region, uptr a) {
  u64* entry = detail::leaf_entry<G>(region, a);
  if (first_records_are_counted) return entry;
  // As with plane 8: who has looked for the leaf has mapped a page of zeros.
  const uptr start = a & ~uptr{abi::kRegionBytes - 1};
  const usize block = offset_in_table<G>(a - start) / kBlockBytes;
  u8& in_use_already = blocks_in_use[plane_index<G>()][a >> abi::kRegionBits][block];
  if (in_use_already != 0) return entry;
  auto* table = reinterpret_cast<char*>(detail::leaf_entry<G>(region, start));
  sys::populate_pages(table + block * kBlockBytes, kBlockBytes);
  in_use_already = 1;
  return entry;
}

template <unsigned G>
u64 region_of(uptr a) {
  const u64 region = load_acquire(&directory<G>()[a >> abi::kRegionBits]);
  return region != 0 ? region : create_region<G>(a);
}

// The leaf's cells, counted from zero on.
template <unsigned G>
constexpr u64 leaf_offset(uptr a) {
  return (a & ~(kBytesMadeAtOnce<G> - 1)) * (abi::kCellBytes / G);
}

template <unsigned G>
bool has_leaf(const u64* entry, uptr a) {
  const u64 cells = load_relaxed(entry);
  return cells != 0 && !detail::is_no_record(detail::cell_from<G>(cells, a));
}

}  // namespace

template <unsigned G>
u64 create_leaf(uptr a) {
  const u64 region = region_of<G>(a);
  SpinGuard guard(leaves<G>.lock);
  u64* entry = present_entry<G>(region, a);
  if (has_leaf<G>(entry, a)) return load_relaxed(entry);
  // A sweep gets as many leaves at once as it has had, side by side: so that their cells follow
  // each other as what they speak for does. In pairs of two kilobytes a sweep over ints took half
  // as long again.
  constexpr uptr kStep = kBytesMadeAtOnce<G>;
  const uptr region_end = (a | (abi::kRegionBytes - 1)) + 1;
  usize before = 0;
  while (before < kMostLeavesOfASweep && (a & (abi::kRegionBytes - 1)) >= (before + 1) * kStep &&
         has_leaf<G>(entry - before - 1, a - (before + 1) * kStep))
    ++before;
  usize made = 0;
  do {
    const uptr address = a + made * kStep;
    u64* at = present_entry<G>(region, address);
    if (has_leaf<G>(at, address)) break;
    store_release(at, counted_from(leaf_offset<G>(address), take_leaf<G>));
  } while (++made < before && region_end - a > made * kStep);
  return load_relaxed(entry);
}

template u64 create_leaf<1>(uptr);
template u64 create_leaf<2>(uptr);
template u64 create_leaf<4>(uptr);

template <>
void let_tests_find<8>(uptr a) {
  cell<8>(a);
}
template <unsigned G>
void let_tests_find(uptr a) {
  const u64 region = region_of<G>(a);
  SpinGuard guard(leaves<G>.lock);
  u64* entry = present_entry<G>(region, a);
  const u64 blank = reinterpret_cast<u64>(detail::no_records) - leaf_offset<G>(a);
  if (load_relaxed(entry) == 0) store_release(entry, blank);
}
template void let_tests_find<1>(uptr);
template void let_tests_find<2>(uptr);
template void let_tests_find<4>(uptr);

// Nothing has to be exact here: somebody else may use the block meanwhile, and its contents stay.
template <>
usize make_present<8>(uptr a) {
  if (first_records_are_counted) return 0;
  Cell* cells = cell<8>(a & ~(kBytesMadeAtOnce<8> - 1));
  u8* blocks = blocks_in_use[plane_index<8>()][a >> abi::kRegionBits];
  const usize first = block_of(a);
  usize end = first + 1;
  const bool swept = first > 0 && load_relaxed(&blocks[first - 1]) != 0;
  const usize most = swept ? first + kBlocksOfASweep : end;
  while (end < most && end < kBlocksPerRegion<8> && load_relaxed(&blocks[end]) == 0) ++end;
  const usize bytes = (end - first) * kBlockBytes;
  sys::populate_pages(cells, bytes);
  for (usize i = first; i < end; ++i) store_relaxed(&blocks[i], u8{1});
  return bytes / sys::kPageBytes;
}

template <unsigned G>
usize make_present(uptr a) {
  create_leaf<G>(a);
  return 1;
}
template usize make_present<1>(uptr);
template usize make_present<2>(uptr);
template usize make_present<4>(uptr);

namespace {
// Leaves keep their addresses, which nobody else gets: who is in the middle of an inlined test may
// look at one.
template <unsigned G>
void forget_leaves() {
  Leaves& l = leaves<G>;
  l.next = l.present = l.end = nullptr;
  for (usize r = 0, left = in_use.regions[plane_index<G>()]; left != 0; ++r)
    if (const u64 region = load_relaxed(&directory<G>()[r])) {
      const uptr start = uptr{r} << abi::kRegionBits;
      sys::discard_pages(detail::leaf_entry<G>(region, start), kRegionTableBytes<G>);
      --left;
    }
}
template <unsigned G>
void forget_blocks() {
  for (usize r = 0, left = in_use.regions[plane_index<G>()]; left != 0; ++r)
    if (u8* blocks = blocks_in_use[plane_index<G>()][r]) {
      sys::discard_pages(blocks, kBlocksPerRegion<G>);
      --left;
    }
}
}  // namespace

void start_over() {
  SpinGuard guard(lock);
  forget_leaves<1>();
  forget_leaves<2>();
  forget_leaves<4>();
  for (Stretch** s = &stretches; *s != nullptr;)
    if ((*s)->granularity != 8)
      *s = (*s)->next;
    else
      s = &(*s)->next;
  forget_blocks<1>();
  forget_blocks<2>();
  forget_blocks<4>();
  forget_blocks<8>();
}

Usage usage() {
  SpinGuard guard(lock);
  return in_use;
}

namespace {

void count_cells(const Cell* cells, usize count, WordCounts& out) {
  for (usize i = 0; i < count; ++i) {
    const Cell c = load_cell(&cells[i]);
    const bool follows = is_follower(c.write);
    out.followers += follows;
    out.with_history += follows || (!is_special(c.write) && !c.blank());
  }
}

}  // namespace

WordCounts count_words() {
  WordCounts out;
  for_each_page([&](unsigned granularity, Cell* page) {
    if (granularity == 8) count_cells(page, kCellsPerPage, out);
  });
  return out;
}

void detail::for_each_page(void (*visit)(void*, unsigned, Cell*), void* context) {
  // A region of plane 8 has 32,768 pages, often few of them in use: a system call for each.
  constexpr usize kMany = usize{1} << 15, kFew = usize{1} << 10;
  u8 few[kFew];
  void* many = sys::map_memory(kMany);
  u8* resident = many != nullptr ? static_cast<u8*>(many) : few;
  const usize batch = many != nullptr ? kMany : kFew;
  lock.lock();
  Stretch* first = stretches;
  lock.unlock();
  for (Stretch* r = first; r != nullptr; r = r->next) {
    for (usize at = 0; at < r->count; at += batch * kCellsPerPage) {
      usize pages = (r->count - at) / kCellsPerPage;
      if (pages > batch) pages = batch;
      sys::resident_pages(r->cells + at, pages, resident);
      for (usize p = 0; p < pages; ++p)
        if (resident[p] & 1) visit(context, r->granularity, r->cells + at + p * kCellsPerPage);
    }
  }
  if (many != nullptr) sys::unmap_memory(many, kMany);
}

}  // namespace bigfoot::rt::shadow
