// The heap's interface over its three layers: thread caches, class lists, runs of slabs.
//
//   small (<= 32 KiB)   cache_take -> [batch] ClassList::take -> [slab] SlabRuns::allocate
//   large               SlabRuns::allocate
#include "runtime/heap/heap.h"

#include "runtime/base/check.h"
#include "runtime/base/string.h"
#include "runtime/heap/class_lists.h"
#include "runtime/heap/slab.h"
#include "runtime/heap/slab_runs.h"
#include "runtime/heap/thread_cache.h"

namespace bigfoot::rt::heap {
namespace {

SpinLock start_lock;

uptr address(const void* p) {
  return reinterpret_cast<uptr>(p);
}

// `rep stosb` takes some 30 cycles to get going, more than clearing a small block by hand.
void zero_block(void* p, usize bytes) {
  if (bytes > 1024) return zero_bytes(p, bytes);
  typedef long long Vector __attribute__((vector_size(16)));
  auto* at = static_cast<Vector*>(p);
  // The barrier keeps the loop from being recognised as memset.
  for (usize i = 0; i < bytes; i += sizeof(Vector)) {
    *at++ = Vector{};
    asm volatile("" ::: "memory");
  }
}

void write_facts(BlockFacts& f, usize size, Origin origin, ThreadId thread) {
  store_relaxed(&f.size, static_cast<u32>(size));
  store_relaxed(&f.origin, rt::raw(origin));
  store_relaxed(&f.thread, static_cast<u32>(thread));
  store_relaxed(&f.plain, u8{0});
  store_relaxed(&f.live, u8{1});
}

// The smallest class whose blocks all have the alignment; kClassCount if none.
unsigned class_for(usize size, usize align) {
  if (size > kMaxSmallBytes || align > kMaxSmallBytes) return kClassCount;
  unsigned c = index(class_of_size(size));
  if (align > kMinAlign)
    while (c < kClassCount && kClasses.info[c].bytes % align != 0) ++c;
  return c;
}

void* allocate_small(SizeClass c, usize size, bool zeroed, Origin origin, ThreadId thread) {
  void* p = cache_take(c);
  if (BF_UNLIKELY(p == nullptr)) return nullptr;
  write_facts(small_block_at(address(p)).facts, size, origin, thread);
  if (zeroed) zero_block(p, info(c).bytes);
  return p;
}

u32 slabs_for(usize size) {
  return static_cast<u32>((size + kSlabBytes - 1) >> kSlabBits);
}

void* allocate_large(usize size, usize align, bool zeroed, Origin origin, ThreadId thread) {
  // slab_count() * kSlabBytes bounds both before anything is rounded up.
  if ((size >> kSlabBits) >= stretch.slab_count() || (align >> kSlabBits) >= stretch.slab_count())
    return nullptr;
  u32 slabs = size == 0 ? 1 : slabs_for(size);
  Run run =
      slab_runs.allocate(slabs, align <= kSlabBytes ? 1 : static_cast<u32>(align >> kSlabBits));
  if (run.empty()) return nullptr;
  Slab& head = stretch[run.first];
  head.block_slabs = slabs;
  head.large_size = size;
  head.origin = rt::raw(origin);
  head.thread = static_cast<u32>(thread);
  for (u32 i = 0; i < slabs; ++i) {
    Slab& s = stretch[run.first + i];
    s.first = run.first;
    s.set_use(SlabUse::kLarge);
  }
  store_relaxed(&head.plain, u16{0});
  store_release(&head.live, u16{1});
  void* p = reinterpret_cast<void*>(stretch.start_of(run.first));
  if (zeroed && !run.clean) zero_bytes(p, size);
  return p;
}

Block find_small(uptr a, SlabIndex index) {
  const Slab& s = stretch[index];
  usize offset = a & (kSlabBytes - 1);
  u32 n = block_at_offset(s.size_class, offset);
  if (n >= load_relaxed(&s.carved)) return {};
  const BlockFacts& f = stretch.facts_of(index)[n];
  Block b;
  b.bytes = {stretch.start_of(index) + usize{n} * info(s.size_class).bytes, load_relaxed(&f.size)};
  b.allocated = Origin{load_relaxed(&f.origin)};
  b.thread = ThreadId{load_relaxed(&f.thread)};
  b.live = load_relaxed(&f.live) != 0;
  return b;
}

Block find_large(SlabIndex index) {
  SlabIndex first = stretch[index].first;
  const Slab& head = stretch[first];
  // The slabs of a freed block keep pointing to where it began, which may be another block's now.
  if (head.use() != SlabUse::kLarge || head.first != first) return {};
  if (raw(index) - raw(first) >= head.block_slabs) return {};
  Block b;
  b.bytes = {stretch.start_of(first), head.large_size};
  b.allocated = Origin{head.origin};
  b.thread = ThreadId{head.thread};
  b.live = load_relaxed(&head.live) != 0;
  return b;
}

bool is_small(SlabIndex s) {
  return stretch[s].use() == SlabUse::kSmall;
}

}  // namespace

void initialise() {
  if (stretch.reserved()) return;
  SpinGuard guard(start_lock);
  if (!stretch.reserved() && !stretch.reserve())
    die("cannot reserve address space for the heap", "out of memory");
}

void* allocate(usize size, usize align, bool zeroed, Origin origin, ThreadId thread) {
  if (BF_UNLIKELY(!stretch.reserved())) initialise();
  unsigned c = class_for(size, align);
  if (BF_LIKELY(c < kClassCount))
    return allocate_small(static_cast<SizeClass>(c), size, zeroed, origin, thread);
  return allocate_large(size, align, zeroed, origin, thread);
}

void deallocate(void* p) {
  SlabIndex s = stretch.slab_of(address(p));
  if (BF_LIKELY(is_small(s))) {
    SmallBlock b = small_block_at(address(p));
    BF_DCHECK(b.facts.live != 0);
    store_relaxed(&b.facts.live, u8{0});
    return cache_give(b.size_class, p);
  }
  Slab& head = stretch[s];
  BF_DCHECK(head.use() == SlabUse::kLarge && head.first == s && head.live != 0);
  store_relaxed(&head.live, u16{0});
  slab_runs.free(s, head.block_slabs);
}

bool resize_in_place(void* p, usize size, Origin origin, ThreadId thread) {
  SlabIndex s = stretch.slab_of(address(p));
  if (is_small(s)) {
    SmallBlock b = small_block_at(address(p));
    usize room = info(b.size_class).bytes;
    // Keeping a block that has become much too large would be a leak.
    if (size > room || (size < room / 2 && room > kMinAlign)) return false;
    write_facts(b.facts, size, origin, thread);
    return true;
  }
  Slab& head = stretch[s];
  usize room = head.block_slabs * kSlabBytes;
  if (size > room || size < room / 2) return false;
  head.origin = rt::raw(origin);
  head.thread = static_cast<u32>(thread);
  head.large_size = size;
  store_relaxed(&head.plain, u16{0});
  return true;
}

bool owns(const void* p) {
  return stretch.contains(address(p));
}

Block live_block(const void* p) {
  if (!owns(p)) return {};
  const uptr a = address(p);
  const SlabIndex s = stretch.slab_of(a);
  const usize offset = a & (kSlabBytes - 1);
  if (BF_LIKELY(is_small(s))) {
    // Blocks never handed out are not live either: a slab comes with the facts of its last use, by
    // the end of which every block had been freed.
    const SmallBlock b = small_block_at(a);
    const BlockFacts& f = b.facts;
    if (b.number * info(b.size_class).bytes != offset || load_relaxed(&f.live) == 0) return {};
    return {{a, load_relaxed(&f.size)},
            Origin{load_relaxed(&f.origin)},
            ThreadId{load_relaxed(&f.thread)},
            true};
  }
  const Slab& head = stretch[s];
  const bool starts_here = head.use() == SlabUse::kLarge && head.first == s && offset == 0;
  if (!starts_here || load_relaxed(&head.live) == 0) return {};
  return {{a, head.large_size}, Origin{head.origin}, ThreadId{head.thread}, true};
}

bool is_live_start(const void* p) {
  return live_block(p).live;
}

Block find(uptr a) {
  if (!stretch.contains(a)) return {};
  SlabIndex s = stretch.slab_of(a);
  Block b;
  switch (stretch[s].use()) {
    case SlabUse::kNever:
      break;
    case SlabUse::kSmall:
      b = find_small(a, s);
      break;
    case SlabUse::kLarge:
      b = find_large(s);
      break;
  }
  bool inside = b.bytes.contains(a) || (b.bytes.size == 0 && b.bytes.begin == a);
  return inside ? b : Block{};
}

// Slab number and place in the slab; a slab has at most 64 blocks of that size.
constexpr u32 kNumbersPerSlab = kSlabBytes / kMinNumberedBytes;
static_assert((usize{1} << 40 >> kSlabBits) * kNumbersPerSlab <= kNumbers, "1 TiB of blocks");

NumberedBlock numbered_block(uptr a) {
  if (!slab_holds_numbered(a)) return {};
  const SlabIndex s = stretch.slab_of(a);
  if (stretch[s].use() == SlabUse::kLarge) {
    const Block b = find_large(s);
    if (!b.bytes.contains(a)) return {};
    return {b.bytes, b.allocated, raw(stretch[s].first) * kNumbersPerSlab};
  }
  const Block b = find_small(a, s);
  if (b.bytes.size < kMinNumberedBytes || !b.bytes.contains(a)) return {};
  const u32 n = block_at_offset(stretch[s].size_class, a & (kSlabBytes - 1));
  return {b.bytes, b.allocated, raw(s) * kNumbersPerSlab + n};
}

void set_plain(uptr begin, bool plain) {
  const SlabIndex s = stretch.slab_of(begin);
  if (is_small(s))
    store_relaxed(&small_block_at(begin).facts.plain, static_cast<u8>(plain));
  else
    store_relaxed(&stretch[s].plain, static_cast<u16>(plain));
}

usize usable_size(const void* p) {
  SlabIndex s = stretch.slab_of(address(p));
  return is_small(s) ? small_block_at(address(p)).facts.size : stretch[s].large_size;
}

void thread_ending() {
  cache_end_thread();
}

// Lock order: caches, classes by index, runs. (cache -> class -> runs is also the order of
// nesting.)
void before_fork() {
  initialise();
  start_lock.lock();
  caches_before_fork();
  for (ClassList& c : class_lists) c.lock().lock();
  slab_runs.lock().lock();
}

void after_fork_parent() {
  slab_runs.lock().unlock();
  for (ClassList& c : class_lists) c.lock().unlock();
  caches_after_fork_parent();
  start_lock.unlock();
}

void after_fork_child() {
  slab_runs.lock().reset_after_fork();
  for (ClassList& c : class_lists) c.lock().reset_after_fork();
  start_lock.reset_after_fork();
  caches_after_fork_child();
}

Usage usage() {
  Usage u;
  if (!stretch.reserved()) return u;
  u.mapped_bytes = slab_runs.occupied_slabs() * kSlabBytes;
  SlabIndex end = slab_runs.frontier();
  for (SlabIndex s{0}; raw(s) < raw(end); s = s + 1) {
    const Slab& slab = stretch[s];
    if (slab.use() == SlabUse::kLarge && slab.first == s && slab.live != 0) {
      ++u.live_blocks;
      u.live_bytes += slab.large_size;
    } else if (slab.use() == SlabUse::kSmall) {
      const BlockFacts* facts = stretch.facts_of(s);
      for (u32 i = 0; i < load_relaxed(&slab.carved); ++i) {
        if (load_relaxed(&facts[i].live) == 0) continue;
        ++u.live_blocks;
        u.live_bytes += load_relaxed(&facts[i].size);
      }
    }
  }
  return u;
}

}  // namespace bigfoot::rt::heap
