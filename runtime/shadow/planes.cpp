#include "runtime/shadow/planes.h"

#include "runtime/base/arena.h"
#include "runtime/base/check.h"
#include "runtime/base/spin_lock.h"
#include "runtime/shadow/claims.h"
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

SpinLock lock;  // guards the two lists, what was handed out of them, and who adds regions
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

// What the directory's entry of a region leads to: cells, or the words that say where leaves are.
struct Table {
  char* start;
  usize bytes;
  u8* blocks;  // blocks_in_use, one for each of its blocks
  unsigned granularity;
  Table* next;
};
Table* tables;

// REQUIRES: lock.
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

template <unsigned G>
constexpr usize kTableBytes = G == 8 ? abi::kRegionBytes / G* abi::kCellBytes
                                     : (abi::kRegionBytes >> abi::leaf_shift(G)) * sizeof(u64);
template <unsigned G>
constexpr usize kBlocksOfTable = kTableBytes<G> / kBlockBytes;
// How far from its start what belongs to `a` is, if the start were that of all memory.
template <unsigned G>
constexpr u64 offset_in_table(uptr a) {
  return G == 8 ? a / G * abi::kCellBytes : (a >> abi::leaf_shift(G)) * sizeof(u64);
}
constexpr uptr start_of_region(uptr a) {
  return a & ~uptr{abi::kRegionBytes - 1};
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

// --- claims

u64 claim_directory[abi::kRegionCount];

namespace {
constexpr usize kClaimsBytes = (abi::kRegionBytes >> kClaimShift) * kClaimStride;

// The claims of one region. As long a list as that of regions.
struct Claims {
  uptr region;
  u32* words;
  Claims* next;
};
Claims* all_claims;

// REQUIRES: lock.
void add_claims(uptr a) {
  u32* words = nullptr;
  const u64 counted = counted_from((start_of_region(a) >> kClaimShift) * kClaimStride, [&] {
    return words = static_cast<u32*>(reserve(kClaimsBytes));
  });
  auto* claims = arena_new<Claims>();
  *claims = {start_of_region(a), words, all_claims};
  all_claims = claims;
  store_release(&claim_directory[a >> abi::kRegionBits], counted);
}

constexpr usize kBytesOfClaimPage = sys::kPageBytes / kClaimStride * kClaimBytes;

// Calls f(address) for the first byte that each present page of claims speaks for.
template <class F>
void for_each_claim_page(F&& f) {
  constexpr usize kBatch = 1024;  // pages
  static_assert(kClaimsBytes % (kBatch * sys::kPageBytes) == 0);
  u8 resident[kBatch];
  lock.lock();
  const Claims* first = all_claims;
  lock.unlock();
  for (const Claims* c = first; c != nullptr; c = c->next)
    for (usize page = 0; page < kClaimsBytes / sys::kPageBytes; ++page) {
      if (page % kBatch == 0)
        sys::resident_pages(c->words + page * sys::kPageBytes / sizeof(u32), kBatch, resident);
      if ((resident[page % kBatch] & 1) != 0) f(c->region + page * kBytesOfClaimPage);
    }
}
}  // namespace

void for_each_claim(void (*visit)(void*, uptr, u32*), void* context) {
  for_each_claim_page([&](uptr begin) {
    for (uptr a = begin; a < begin + kBytesOfClaimPage; a += kClaimBytes)
      if (u32* claim = claim_word(a); load_relaxed(claim) != kUnclaimed) visit(context, a, claim);
  });
}

bool is_blank_block(uptr block) {
  const Cell* cells = cell_if_present<8>(block);
  for (usize i = 0; i < kClaimBytes / 8; ++i)
    if (const Cell c = load_cell(&cells[i]); !c.blank() || c.has_sync()) return false;
  return true;
}

void settle_claims_after_fork() {
  for_each_claim_page([](uptr begin) {
    for (uptr a = begin; a < begin + kBytesOfClaimPage; a += kClaimBytes)
      if (load_relaxed(claim_word(a)) == kBeingCleared) store_relaxed(claim_word(a), kShared);
  });
}

void forget_claims() {
  const auto has_sync = [](uptr block) {
    const Cell* cells = cell_if_present<8>(block);
    for (usize i = 0; i < kClaimBytes / 8; ++i)
      if (load_cell(&cells[i]).has_sync()) return true;
    return false;
  };
  for_each_claim_page([&](uptr begin) {
    bool any = false;
    for (uptr a = begin; a < begin + kBytesOfClaimPage; a += kClaimBytes) {
      u32* claim = claim_word(a);
      if (load_relaxed(claim) == kShared && has_sync(a))
        any = true;
      else if (load_relaxed(claim) != kUnclaimed)
        store_relaxed(claim, kUnclaimed);
    }
    if (!any) sys::discard_pages(claim_word(begin), sys::kPageBytes);
  });
}

template <unsigned G>
u64 create_region(uptr a) {
  u64* entry = &directory<G>()[a >> abi::kRegionBits];
  SpinGuard guard(lock);
  if (u64 present = load_acquire(entry)) return present;
  constexpr usize kBytes = kTableBytes<G>;
  // The bytes for its blocks lie behind the table: a small mapping of their own would take holes in
  // which the program's come back to where they were. A page of zeros is between them, which
  // inlined tests of several words at the end of the region may read.
  constexpr usize kAll = kBytes + sys::kPageBytes + kBlocksOfTable<G>;
  char* start = nullptr;
  const u64 counted = counted_from(offset_in_table<G>(start_of_region(a)),
                                   [&] { return start = static_cast<char*>(reserve(kAll)); });
  auto* table = arena_new<Table>();
  *table = {start, kBytes, reinterpret_cast<u8*>(start) + kBytes + sys::kPageBytes, G, tables};
  tables = table;
  if constexpr (G == 8) {
    add_stretch(start, kBytes, G);
    add_claims(a);  // before anybody finds the region
  }
  ++in_use.regions[plane_index<G>()];
  store_relaxed(&blocks_in_use[plane_index<G>()][a >> abi::kRegionBits], table->blocks);
  store_release(entry, counted);
  return counted;
}

template u64 create_region<1>(uptr);
template u64 create_region<2>(uptr);
template u64 create_region<4>(uptr);
template u64 create_region<8>(uptr);

// --- leaves

namespace {

constexpr usize kLeafBytes = usize{abi::kLeafCells} * abi::kCellBytes;
constexpr usize kLeavesBytes = usize{4} << 20;     // reserved at a time
constexpr usize kLeavesPresent = usize{64} << 10;  // made present at a time
constexpr usize kMostLeavesOfASweep = 32;
static_assert(kMostLeavesOfASweep * kLeafBytes <= kLeavesPresent);

// Leaves of one plane that were not handed out yet. Its lock comes before the other one.
struct Leaves {
  SpinLock lock;
  char* next = nullptr;
  char* present = nullptr;  // up to here; what is before it takes memory, or somebody is at it
  char* end = nullptr;
};
template <unsigned G>
constinit Leaves leaves;

// `fresh` becomes what is to be made present, if it is time for that. REQUIRES: the lock of the
// plane's leaves.
template <unsigned G>
char* take_leaf(char*& fresh) {
  Leaves& l = leaves<G>;
  if (l.next == l.end) {
    l.next = l.present = static_cast<char*>(reserve(kLeavesBytes));
    l.end = l.next + kLeavesBytes;
    SpinGuard guard(lock);
    add_stretch(l.next, kLeavesBytes, G);
  }
  if (l.next == l.present) {
    fresh = l.present;
    l.present += kLeavesPresent;
  }
  char* leaf = l.next;
  l.next += kLeafBytes;
  return leaf;
}

template <unsigned G>
u64 region_of(uptr a) {
  const u64 region = load_acquire(&directory<G>()[a >> abi::kRegionBits]);
  return region != 0 ? region : create_region<G>(a);
}

// Where the leaf of `a` is told, in a table that may be written to. As with plane 8: who has looked
// for the leaf has mapped a page of zeros.
template <unsigned G>
u64* present_entry(uptr a) {
  const u64 region = region_of<G>(a);
  u64* entry = detail::leaf_entry<G>(region, a);
  if (first_records_are_counted) return entry;
  const usize block = offset_in_table<G>(a - start_of_region(a)) / kBlockBytes;
  u8& in_use_already = blocks_in_use[plane_index<G>()][a >> abi::kRegionBits][block];
  if (load_relaxed(&in_use_already) != 0) return entry;
  auto* table = reinterpret_cast<char*>(detail::leaf_entry<G>(region, start_of_region(a)));
  sys::populate_pages(table + block * kBlockBytes, kBlockBytes);
  store_relaxed(&in_use_already, u8{1});
  return entry;
}

// The leaf's cells, counted from zero on.
template <unsigned G>
constexpr u64 leaf_offset(uptr a) {
  return (a & ~(kBytesMadeAtOnce<G> - 1)) * (abi::kCellBytes / G);
}

// A leaf and those beside it in their region, by their distance.
template <unsigned G>
class Neighbours {
 public:
  Neighbours(u64* entry, uptr a) : entry_(entry), a_(a) {}

  bool are_in_region(i64 distance) const {
    return start_of_region(address(distance)) == start_of_region(a_);
  }
  bool have_leaf(i64 distance) const {
    const u64 cells = load_relaxed(entry_ + distance);
    return cells != 0 && !detail::is_no_record(detail::cell_from<G>(cells, address(distance)));
  }
  // How many leaves in a row there are, or are not, from the next one on in one direction.
  usize in_a_row(i64 direction, bool present, usize most) const {
    usize n = 0;
    for (i64 d = direction; n < most && are_in_region(d) && have_leaf(d) == present; d += direction)
      ++n;
    return n;
  }
  void put(i64 distance, char*& fresh) const {
    const auto take = [&fresh] { return take_leaf<G>(fresh); };
    store_release(entry_ + distance, counted_from(leaf_offset<G>(address(distance)), take));
  }

 private:
  uptr address(i64 distance) const {
    return a_ + static_cast<uptr>(distance) * kBytesMadeAtOnce<G>;
  }
  u64* const entry_;
  const uptr a_;
};

}  // namespace

alignas(kLeafBytes) constinit const Cell detail::no_records[abi::kLeafCells] = {};

// A sweep gets as many leaves at once as it has had, side by side: so that their cells follow each
// other as what they speak for does. Where they came by fours a sweep over ints took half as long
// again.
template <unsigned G>
u64 create_leaf(uptr a) {
  u64* entry = present_entry<G>(a);
  const Neighbours<G> near(entry, a);
  char* fresh = nullptr;
  {
    SpinGuard guard(leaves<G>.lock);
    if (near.have_leaf(0)) return load_relaxed(entry);
    const i64 back = near.are_in_region(-1) && near.have_leaf(-1) ? -1 : 1;  // where it comes from
    const usize had = near.in_a_row(back, true, kMostLeavesOfASweep);
    const usize ahead = had > 1 ? near.in_a_row(-back, false, had - 1) : 0;
    const i64 first = back < 0 ? 0 : -static_cast<i64>(ahead);
    for (i64 d = first; d <= first + static_cast<i64>(ahead); ++d) near.put(d, fresh);
  }
  // Who counts pages wants no more of them than are used.
  if (fresh != nullptr && !first_records_are_counted) sys::populate_pages(fresh, kLeavesPresent);
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
  if (detail::cells_of<G>(a) != 0) return;
  const u64 blank = reinterpret_cast<u64>(detail::no_records) - leaf_offset<G>(a);
  u64 nothing = 0;
  compare_exchange(present_entry<G>(a), nothing, blank);
}
template void let_tests_find<1>(uptr);
template void let_tests_find<2>(uptr);
template void let_tests_find<4>(uptr);

// --- what is present

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
  while (end < most && end < kBlocksOfTable<8> && load_relaxed(&blocks[end]) == 0) ++end;
  const usize bytes = (end - first) * kBlockBytes;
  sys::populate_pages(cells, bytes);
  for (usize i = first; i < end; ++i) store_relaxed(&blocks[i], u8{1});
  return bytes / sys::kPageBytes;
}

template <unsigned G>
usize make_present(uptr a) {
  create_leaf<G>(a);
  return 2;  // one of its table
}
template usize make_present<1>(uptr);
template usize make_present<2>(uptr);
template usize make_present<4>(uptr);

namespace {
// The leaves' addresses are left alone: who is in the middle of an inlined test may look at one.
template <unsigned G>
void forget_leaves() {
  SpinGuard guard(leaves<G>.lock);
  Leaves& l = leaves<G>;
  l.next = l.present = l.end = nullptr;
}
}  // namespace

void start_over() {
  forget_leaves<1>();
  forget_leaves<2>();
  forget_leaves<4>();
  SpinGuard guard(lock);
  for (Stretch** s = &stretches; *s != nullptr;)
    if ((*s)->granularity != 8)
      *s = (*s)->next;
    else
      s = &(*s)->next;
  for (Table* t = tables; t != nullptr; t = t->next) {
    if (t->granularity != 8) sys::discard_pages(t->start, t->bytes);
    sys::discard_pages(t->blocks, t->bytes / kBlockBytes);
  }
}

namespace {
usize resident_pages_of(void* start, usize bytes) {
  constexpr usize kFew = usize{1} << 10;
  u8 resident[kFew];
  usize found = 0;
  for (usize at = 0; at < bytes; at += kFew * sys::kPageBytes) {
    const usize left = (bytes - at) / sys::kPageBytes, pages = left < kFew ? left : kFew;
    sys::resident_pages(static_cast<char*>(start) + at, pages, resident);
    for (usize p = 0; p < pages; ++p) found += resident[p] & 1;
  }
  return found;
}
}  // namespace

usize pages_of_tables() {
  usize found = 0;
  SpinGuard guard(lock);
  for (const Table* t = tables; t != nullptr; t = t->next) {
    if (t->granularity == 8) continue;
    found += resident_pages_of(t->start, t->bytes);
  }
  for (const Claims* c = all_claims; c != nullptr; c = c->next)
    found += resident_pages_of(c->words, kClaimsBytes);
  return found;
}

void before_fork() {
  leaves<1>.lock.lock();
  leaves<2>.lock.lock();
  leaves<4>.lock.lock();
  lock.lock();
}
void after_fork() {
  lock.unlock();
  leaves<4>.lock.unlock();
  leaves<2>.lock.unlock();
  leaves<1>.lock.unlock();
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
    const bool alone = !is_special(c.write) || is_masked(c.write);
    out.with_history += follows || (alone && !c.blank());
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
