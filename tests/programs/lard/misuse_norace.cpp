// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %t > %t.out 2>&1
// RUN: %filecheck %s --input-file %t.out --implicit-check-not=bigfoot:

// clang-format off
// Bad use is said in one line with its place, and changes nothing.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

namespace {
long memory[8];
void* const kLast = reinterpret_cast<void*>(~uintptr_t{7});
void refused(int result) {
  require(result == BF_LARD_MISUSE);
}
}  // namespace

int main() {
  // CHECK: bigfoot: bf_lard_untracked_end: this thread has no open region, called in main{{.*}}misuse_norace.cpp:[[# @LINE + 1]]:
  refused(bf_lard_untracked_end(BF_LARD_ALL));
  bf_lard_untracked_begin(BF_LARD_ALL);
  // CHECK: bigfoot: bf_lard_untracked_end: the innermost region of this thread is of another kind, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_untracked_end(BF_LARD_SYNC));
  // CHECK: bigfoot: bf_lard_tracked_end: the innermost region of this thread is of another kind, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_tracked_end(BF_LARD_ALL));
  // CHECK: bigfoot: bf_lard_tracked_begin: no such kind of region, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_tracked_begin(8));
  require(bf_lard_untracked_end(BF_LARD_ALL) == BF_LARD_OK);

  // CHECK: bigfoot: bf_lard_clear: the range wraps around the end of the address space, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_clear(kLast, 16));
  // CHECK: bigfoot: bf_lard_read: the range is outside of the program's address space, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_read(kLast, 8));
  bf_lard_transfer same_target[] = {{&memory[0], &memory[4], 8}, {&memory[1], &memory[4], 8}};
  // CHECK: bigfoot: bf_lard_move: two of the targets overlap, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_move_all(same_target, 2));
  bf_lard_transfer same_source[] = {{&memory[0], &memory[4], 8}, {&memory[0], &memory[5], 8}};
  // CHECK: bigfoot: bf_lard_copy: two of the sources overlap, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_copy_all(same_source, 2));
  bf_lard_transfer destroys[] = {{&memory[0], &memory[1], 8}, {&memory[1], &memory[2], 8}};
  // CHECK: bigfoot: bf_lard_move: a target overlaps the source of a later transfer, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_move_all(destroys, 2));

  // CHECK: bigfoot: bf_lard_write: a null pointer, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_write(nullptr, 8));
  // CHECK: bigfoot: bf_lard_try_read: a null pointer, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_try_read_at(nullptr, 8, memory));
  // CHECK: bigfoot: bf_lard_clear: a null pointer, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_clear(nullptr, 8));
  // CHECK: bigfoot: bf_lard_copy: a null pointer, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_copy(memory, nullptr, 8));
  // CHECK: bigfoot: bf_lard_move: the range wraps around the end of the address space, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_move(kLast, memory, 16));
  // CHECK: bigfoot: bf_lard_clear: no list, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_clear_all(nullptr, 3));
  // CHECK: bigfoot: bf_lard_copy: no list, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_copy_all(nullptr, 3));
  // CHECK: bigfoot: bf_lard_move: no list, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_move_all(nullptr, 1));
  // CHECK: bigfoot: bf_lard_move: the list cannot be so long, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_move_all(same_target, ~size_t{0} / 2));
  // CHECK: bigfoot: bf_lard_clock_write: no list, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_clock_write(nullptr, 1));
  // Nothing is nothing, wherever it is.
  require(bf_lard_write(nullptr, 0) == BF_LARD_OK && bf_lard_clear(nullptr, 0) == BF_LARD_OK);
  require(bf_lard_move(nullptr, nullptr, 0) == BF_LARD_OK);
  require(bf_lard_clear_all(nullptr, 0) == BF_LARD_OK && bf_lard_move_all(nullptr, 0) == BF_LARD_OK);
  require(bf_lard_clock_write(nullptr, 0) == BF_LARD_OK);
  require(bf_lard_clock_read(nullptr, 64) == bf_lard_clock_read(nullptr, 0));

  // CHECK: bigfoot: bf_lard_acquire: no object, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_acquire(nullptr));
  uint64_t future[64] = {};
  for (uint64_t& time : future) time = ~uint64_t{0};
  // CHECK: bigfoot: bf_lard_clock_write: more times than there are places in the clocks, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_clock_write(future, 64));
  // CHECK: bigfoot: bf_lard_clock_write: a time that has not come yet, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_clock_write(future, 1));
  // A thread that exists has a next time, which nobody can know of; it learns nothing from the refusal.
  const bf_lard_thread unborn = bf_lard_thread_create(0);
  uint64_t known[2] = {}, still_known[2] = {};
  bf_lard_clock_read(known, 2);
  uint64_t next[2] = {known[0], 1};
  // CHECK: bigfoot: bf_lard_clock_write: a time that has not come yet, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_clock_write(next, 2));
  bf_lard_clock_read(still_known, 2);
  require(still_known[1] == known[1]);
  require(bf_lard_thread_destroy(unborn) == BF_LARD_OK);

  bf_lard_thread home = bf_lard_thread_current(), other = bf_lard_thread_create(0);
  // CHECK: bigfoot: bf_lard_thread_switch: no such thread, or it has ended, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_thread_switch(0, 0));
  // CHECK: bigfoot: bf_lard_thread_destroy: no such thread, or it has ended, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_thread_destroy(12345));
  // CHECK: bigfoot: bf_lard_thread_destroy: the thread is an OS thread, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_thread_destroy(home));
  // CHECK: bigfoot: bf_lard_thread_switch: no such way to switch, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_thread_switch(other, 7));
  require(bf_lard_thread_switch(other, BF_LARD_ORDERED | BF_LARD_SAME_STACK) == BF_LARD_OK);
  // CHECK: bigfoot: bf_lard_thread_destroy: the thread is running, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_thread_destroy(other));
  require(bf_lard_thread_switch(home, BF_LARD_ORDERED | BF_LARD_SAME_STACK) == BF_LARD_OK);
  require(bf_lard_thread_destroy(other) == BF_LARD_OK);
  // CHECK: bigfoot: bf_lard_thread_switch: no such thread, or it has ended, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_thread_switch(other, 0));
  // CHECK: bigfoot: bf_lard_thread_name: no name, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_thread_name(home, nullptr));
  // CHECK: bigfoot: bf_lard_thread_name: no such thread, or it has ended, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_thread_name(other, "nobody"));
  // CHECK: bigfoot: bf_lard_thread_create: no room for one more thread with such a stack, called in main{{.*}}:[[# @LINE + 1]]:
  require(bf_lard_thread_create(size_t{1} << 60) == 0);
  // CHECK: bigfoot: bf_lard_thread_create: no room for one more thread with such a stack, called in main{{.*}}:[[# @LINE + 1]]:
  require(bf_lard_thread_create(~size_t{0}) == 0);
  // CHECK: bigfoot: bf_lard_on_race: no such mode, called in main{{.*}}:[[# @LINE + 1]]:
  refused(bf_lard_on_race(nullptr, nullptr, 9));
  // Once for each place.
  // CHECK: bigfoot: bf_lard_release: no object, called in main{{.*}}:[[# @LINE + 2]]:
#pragma clang loop unroll(disable)
  for (int i = 0; i < 3; ++i) refused(bf_lard_release(nullptr));
}
