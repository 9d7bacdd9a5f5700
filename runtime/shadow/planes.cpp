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

SpinLock lock;
Usage in_use;

// Regions are few (a gigabyte of program memory is sixteen), so a list serves for walking them.
struct Region {
  Cell* cells;
  usize count;
  unsigned granularity;
  Region* next;
};
Region* regions;

template <unsigned G>
constexpr usize kBlocksPerRegion = abi::kRegionBytes * (abi::kCellBytes / G) / kBlockBytes;

// Zeroed memory for `bytes`, or the end.
void* reserve(usize bytes) {
  void* p = sys::map_memory(bytes);
  if (p == nullptr) die("cannot reserve shadow memory", "out of address space");
  return p;
}

}  // namespace

u8* blocks_in_use[abi::kPlaneCount][abi::kRegionCount];

template <unsigned G>
u64 create_region(uptr a) {
  u64* entry = &directory<G>()[a >> abi::kRegionBits];
  SpinGuard guard(lock);
  if (u64 present = load_acquire(entry)) return present;
  constexpr usize kBytes = abi::kRegionBytes * (abi::kCellBytes / G);
  // The bytes for its blocks lie behind the cells: a small mapping of their own would take holes in
  // which the program's come back to where they were. A page of zeros is between them, which inlined
  // tests of several words at the end of the region may read.
  constexpr usize kAll = kBytes + sys::kPageBytes + kBlocksPerRegion<G>;
  void* p = reserve(kAll);
  uptr start = a & ~uptr{abi::kRegionBytes - 1};
  u64 biased = reinterpret_cast<u64>(p) - start * (abi::kCellBytes / G);
  // Zero means "absent"; a mapping that would bias to zero exactly is kept unused and replaced.
  if (biased == 0) {
    p = reserve(kAll);
    biased = reinterpret_cast<u64>(p) - start * (abi::kCellBytes / G);
  }
  auto* region = arena_new<Region>();
  *region = {static_cast<Cell*>(p), kBytes / sizeof(Cell), G, regions};
  regions = region;
  ++in_use.regions[plane_index<G>()];
  store_relaxed(&blocks_in_use[plane_index<G>()][a >> abi::kRegionBits],
                static_cast<u8*>(p) + kBytes + sys::kPageBytes);
  store_release(entry, biased);
  return biased;
}

template u64 create_region<1>(uptr);
template u64 create_region<2>(uptr);
template u64 create_region<4>(uptr);
template u64 create_region<8>(uptr);

// Nothing has to be exact here: somebody else may use the block meanwhile, and its contents stay.
template <unsigned G>
usize make_present(uptr a) {
  // Who counts pages wants no more of them than are used.
  if (first_records_are_counted) return 0;
  Cell* cells = cell<G>(a & ~(kBlockBytes / abi::kCellBytes * G - 1));
  u8* blocks = blocks_in_use[plane_index<G>()][a >> abi::kRegionBits];
  const usize first = block_of<G>(a);
  usize end = first + 1;
  const bool swept = first > 0 && load_relaxed(&blocks[first - 1]) != 0;
  const usize most = swept ? first + kBlocksOfASweep : end;
  while (end < most && end < kBlocksPerRegion<G> && load_relaxed(&blocks[end]) == 0) ++end;
  const usize bytes = (end - first) * kBlockBytes;
  sys::populate_pages(cells, bytes);
  for (usize i = first; i < end; ++i) store_relaxed(&blocks[i], u8{1});
  return bytes / sys::kPageBytes;
}

template usize make_present<1>(uptr);
template usize make_present<2>(uptr);
template usize make_present<4>(uptr);
template usize make_present<8>(uptr);

void forget_blocks_in_use() {
  constexpr usize kBlocks[] = {kBlocksPerRegion<1>, kBlocksPerRegion<2>, kBlocksPerRegion<4>,
                               kBlocksPerRegion<8>};
  SpinGuard guard(lock);
  for (usize plane = 0; plane < abi::kPlaneCount; ++plane)
    for (usize r = 0, left = in_use.regions[plane]; left != 0; ++r)
      if (u8* blocks = blocks_in_use[plane][r]) {
        sys::discard_pages(blocks, kBlocks[plane]);
        --left;
      }
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
  // A region of plane 1 has 262,144 pages, hardly any of them in use: a few system calls for each.
  constexpr usize kMany = usize{1} << 15, kFew = usize{1} << 10;
  u8 few[kFew];
  void* many = sys::map_memory(kMany);
  u8* resident = many != nullptr ? static_cast<u8*>(many) : few;
  const usize batch = many != nullptr ? kMany : kFew;
  lock.lock();
  Region* first = regions;
  lock.unlock();
  for (Region* r = first; r != nullptr; r = r->next) {
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
