// The shared side of the small blocks: per size class, the slabs that have room.
//
// Threads come here in batches (see thread_cache.h), so one lock per class is enough. A slab whose
// blocks have all come back goes back to the runs, unless it is the only one with room: then the
// next batch would fetch it again.
#pragma once

#include "runtime/base/spin_lock.h"
#include "runtime/heap/slab.h"

namespace bigfoot::rt::heap {

class ClassList {
 public:
  // Writes the addresses of up to `wanted` blocks to `to` and their number to `*count`, which is
  // what other threads (fork) may look at while the lock is held. Zero if there is no memory.
  void take(SizeClass c, uptr* to, u32 wanted, u32* count);
  // Takes `returned` blocks from the end of `from`, and their number off `*count`.
  void give(SizeClass c, const uptr* from, u32 returned, u32* count);

  SpinLock& lock() { return lock_; }  // for fork

 private:
  bool add_slab(SizeClass c);
  void link(SlabIndex s);
  void unlink(SlabIndex s);
  void give_one(SizeClass c, uptr block);

  SpinLock lock_;
  u32 first_with_room_ = 0;  // one more than the index; guarded by lock_
};

extern ClassList class_lists[kClassCount];

}  // namespace bigfoot::rt::heap
