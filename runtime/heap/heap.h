// The program's heap.
//
// The run time allocates for the program itself, because a race report has to say which block an
// address belongs to, who allocated it and where, for any interior pointer, without a search: size
// classes in slabs of 64 KiB, large blocks as runs of slabs, all inside one reserved stretch of
// address space, so that address -> slab -> block is arithmetic. A block's facts live beside the
// slab, not in front of the block: an overrun of the program cannot destroy them.
//
// Thread-safe; small blocks come from a per-thread cache without a lock. Never calls libc. Freed
// memory goes back to the system when whole slabs are empty.
#pragma once

#include "runtime/base/types.h"
#include "runtime/detect/access.h"
#include "runtime/heap/size_classes.h"

namespace bigfoot::rt::heap {

struct Block {
  ByteRange bytes;  // as requested; empty if the address is in no block
  Origin allocated = kNoOrigin;
  ThreadId thread = kNoThread;
  bool live = false;  // false: freed, not reused since
};

inline constexpr usize kMinAlign = 16;

void initialise();
// Null if there is no memory. `align` is a power of two. Size 0 gives a distinct block of size 0.
// The block's contents are unspecified unless `zeroed`.
void* allocate(usize size, usize align, bool zeroed, Origin origin, ThreadId thread);
// REQUIRES: owns(p) and p is the start of a live block. The caller has told the detector before.
void deallocate(void* p);
// The facts of the block at `p` may be changed in place (realloc that fits): false if it does not
// fit.
bool resize_in_place(void* p, usize size, Origin origin, ThreadId thread);

bool owns(const void* p);
// False for what must not be freed: foreign or freed memory, the inside of a block.
bool is_live_start(const void* p);
// The live block that starts at `p`, the empty block otherwise.
Block live_block(const void* p);
// The block that contains `address`, live or freed.
Block find(uptr address);
// A block of at least kMinNumberedBytes, with a number that no other block has at the same time:
// what is kept beside such blocks is found by it. `bytes` is empty if the address is in none.
inline constexpr usize kNumbers = usize{1} << 30;
struct NumberedBlock {
  ByteRange bytes;
  Origin allocated = kNoOrigin;
  u32 number = 0;
};
NumberedBlock numbered_block(uptr address);
// Whether the block that starts at `begin` is of no interest to those who keep something beside
// numbered blocks; see holds_numbered() in slab.h. A block that is handed out is not plain.
// REQUIRES: numbered_block(begin) is that block.
void set_plain(uptr begin, bool plain);
// Size the program may use, as malloc_usable_size reports it: what was asked for, not what the
// class holds, because the detector watches exactly these bytes. REQUIRES: p is the start of a
// block.
usize usable_size(const void* p);

// A thread is about to end: its cache goes back to the shared lists.
void thread_ending();
void before_fork();
void after_fork_parent();
void after_fork_child();

struct Usage {
  usize live_bytes = 0;
  usize live_blocks = 0;
  usize mapped_bytes = 0;
};
// Counts by looking at every slab; exact when no other thread allocates.
Usage usage();

}  // namespace bigfoot::rt::heap
