// A thread's own stock of free small blocks: taking and giving back needs no lock.
//
// The thread-local part is one pointer, because a big one would eat into the smallest stacks a
// program may ask for (16 KiB). Caches are made when a thread first allocates and used again by
// later threads. A thread that has ended its cache (its last destructors may still free) works on
// the shared lists directly.
#pragma once

#include "runtime/base/types.h"
#include "runtime/heap/size_classes.h"

namespace bigfoot::rt::heap {

struct ThreadCache {
  static constexpr u32 kMaxCached = 64;
  // Only the owner changes these, except in the child of a fork, where the owners are gone. A block
  // is written before `count` covers it and `count` is lowered before the block is used, so that a
  // fork in between loses at most that block.
  struct Stock {
    u32 count;
    uptr blocks[kMaxCached];
  };
  Stock stocks[kClassCount];
  ThreadCache* next_all;   // every cache ever made; guarded by the caches' lock
  ThreadCache* next_idle;  // caches without a thread; likewise
  u32 active;
};

// A block of class c, or null if there is no memory.
void* cache_take(SizeClass c);
void cache_give(SizeClass c, void* block);

void cache_end_thread();
void caches_before_fork();
void caches_after_fork_parent();
// The caches of the threads that do not exist in the child go back to the shared lists.
void caches_after_fork_child();

}  // namespace bigfoot::rt::heap
