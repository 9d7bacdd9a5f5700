// Slabs and the address arithmetic of the heap's stretch of address space.
//
//   stretch      | slab 0 | slab 1 | slab 2 | ...                    64 KiB each
//   facts        | of slab 0's blocks | of slab 1's blocks | ...     16 bytes a block, room for
//   4096 descriptors  | Slab 0 | Slab 1 | ...
//
// Three parallel tables of one reservation; pages appear when touched. What the program owns (the
// stretch) and what we know about it (the rest) never share a page.
#pragma once

#include "runtime/base/atomic.h"
#include "runtime/base/types.h"
#include "runtime/detect/access.h"
#include "runtime/heap/size_classes.h"

namespace bigfoot::rt::heap {

enum class SlabIndex : u32 {};
inline constexpr SlabIndex kNoSlab{0xffffffffu};
constexpr u32 raw(SlabIndex s) {
  return static_cast<u32>(s);
}
constexpr SlabIndex operator+(SlabIndex s, u32 n) {
  return SlabIndex{raw(s) + n};
}
constexpr SlabIndex operator-(SlabIndex s, u32 n) {
  return SlabIndex{raw(s) - n};
}

inline constexpr u16 kNoBlock = 0xffff;

// One small block. `find` reads the fields while other threads write them, so that all go through
// relaxed atomic accesses; a torn pair only ever mixes two owners of the same address.
struct BlockFacts {
  u32 size;  // as requested
  u32 origin;
  u32 thread;
  u16 next_free;  // links the slab's free blocks; guarded by the class's lock
  u8 live;
  u8 plain;  // see set_plain()
};
static_assert(sizeof(BlockFacts) == 16);
inline constexpr usize kMaxBlocksPerSlab = kSlabBytes / kGranule;
inline constexpr usize kFactsBytesPerSlab = kMaxBlocksPerSlab * sizeof(BlockFacts);

// What the slab holds, or held last if its run is free now: freed blocks stay known until the slab
// is used again.
enum class SlabUse : u8 { kNever, kSmall, kLarge };
enum class RunState : u8 { kInUse, kFreeDirty, kFreeClean };

struct Slab {
  // Of the blocks in it. Guarded by the class's lock (small) or owned by the block's owner (large).
  u8 use_;               // a SlabUse; the other fields are set before it
  SizeClass size_class;  // small
  u16 free_head;         // small: first of the blocks that came back
  u16 carved;            // small: blocks with a higher index have never been handed out
  u16 used;              // small: handed out (to the program or to a thread's cache)
  SlabIndex first;       // large: the slab the block starts in
  u32 block_slabs;       // large, first slab: how many the block takes
  u32 origin, thread;    // large, first slab
  u16 live;              // large, first slab
  u16 plain;             // large, first slab: see set_plain()
  u64 large_size;        // large, first slab: as requested
  // Of the run it belongs to. Guarded by the runs' lock; only the run's two ends are kept up to
  // date.
  RunState state;
  u32 run_slabs;        // first slab of a free run
  SlabIndex run_first;  // last slab of a free run
  // Membership in one list: of the class's slabs with room (small, in use) or of a bin of free
  // runs.
  SlabIndex next, prev;

  SlabUse use() const { return static_cast<SlabUse>(load_acquire(&use_)); }
  void set_use(SlabUse u) { store_release(&use_, static_cast<u8>(u)); }
};
static_assert(sizeof(Slab) <= 64);

// Where the tables are. Set once by `reserve`; all zero before, so that nothing is ours.
class Stretch {
 public:
  // Takes as much address space as the system gives, 1 TiB of blocks at most. False if there is not
  // even room for 64 MiB of blocks.
  bool reserve();
  bool reserved() const { return load_acquire(&bytes_) != 0; }
  u32 slab_count() const { return static_cast<u32>(bytes_ >> kSlabBits); }
  bool contains(uptr a) const { return a - begin_ < load_relaxed(&bytes_); }
  SlabIndex slab_of(uptr a) const { return SlabIndex{static_cast<u32>((a - begin_) >> kSlabBits)}; }
  uptr start_of(SlabIndex s) const { return begin_ + (uptr{raw(s)} << kSlabBits); }
  Slab& operator[](SlabIndex s) const { return slabs_[raw(s)]; }
  BlockFacts* facts_of(SlabIndex s) const { return facts_ + raw(s) * kMaxBlocksPerSlab; }

 private:
  uptr begin_ = 0;
  usize bytes_ = 0;
  BlockFacts* facts_ = nullptr;
  Slab* slabs_ = nullptr;
};

extern Stretch stretch;

// Whether the slab of `a` may have numbered blocks.
[[gnu::always_inline]] inline bool slab_holds_numbered(uptr a) {
  if (!stretch.contains(a)) return false;
  const Slab& s = stretch[stretch.slab_of(a)];
  const SlabUse use = s.use();
  return use == SlabUse::kLarge || (use == SlabUse::kSmall && may_be_numbered(s.size_class));
}
// Whether numbered_block() may find a block at `a` that is not plain: a few loads, for those who
// ask often.
[[gnu::always_inline]] inline bool holds_numbered(uptr a) {
  if (!slab_holds_numbered(a)) return false;
  const SlabIndex s = stretch.slab_of(a);
  if (stretch[s].use() == SlabUse::kLarge)
    return load_relaxed(&stretch[stretch[s].first].plain) == 0;
  const u32 n = block_at_offset(stretch[s].size_class, a & (kSlabBytes - 1));
  return load_relaxed(&stretch.facts_of(s)[n].plain) == 0;
}

// A small block located: which slab, which block, its facts.
struct SmallBlock {
  SlabIndex slab;
  SizeClass size_class;
  u16 number;
  BlockFacts& facts;
};
// REQUIRES: `a` is inside a slab whose use is kSmall, not in the rest at its end.
inline SmallBlock small_block_at(uptr a) {
  SlabIndex s = stretch.slab_of(a);
  SizeClass c = stretch[s].size_class;
  u32 n = block_at_offset(c, a & (kSlabBytes - 1));
  return {s, c, static_cast<u16>(n), stretch.facts_of(s)[n]};
}

}  // namespace bigfoot::rt::heap
