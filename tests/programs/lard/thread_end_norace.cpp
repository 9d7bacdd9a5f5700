// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %t > %t.out 2>&1
// RUN: %filecheck %s --input-file %t.out --implicit-check-not=bigfoot: --implicit-check-not=WARNING

// An OS thread has to be its own logical thread at its end, and is nobody else's. If it is another
// one, that is said, and the other one goes on elsewhere: what the OS thread did as itself is before
// its join as always.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

int shared, of_the_fiber;

int main() {
  const bf_lard_thread home = bf_lard_thread_current();
  const bf_lard_thread fiber = bf_lard_thread_create(0), another = bf_lard_thread_create(0);
  const unsigned how = BF_LARD_ORDERED | BF_LARD_SAME_STACK;
  require(bf_lard_thread_switch(another, how) == BF_LARD_OK);
  run_threads(
      [&] {
        // CHECK: bigfoot: bf_lard_thread_switch: the thread is another OS thread's own, called in {{.*}}thread_end_norace.cpp:[[# @LINE + 1]]:
        require(bf_lard_thread_switch(home, BF_LARD_SAME_STACK) == BF_LARD_MISUSE);
        // CHECK-NEXT: bigfoot: bf_lard_thread_switch: the thread is running on another OS thread, called in {{.*}}:[[# @LINE + 1]]:
        require(bf_lard_thread_switch(another, BF_LARD_SAME_STACK) == BF_LARD_MISUSE);
        script_post(0);
      },
      [&] {
        script_wait(0);
        shared = 1;
        // CHECK-NEXT: bigfoot: bf_lard_thread_switch: the OS thread ended as another thread than its own, called in {{.*}}:[[# @LINE + 1]]:
        require(bf_lard_thread_switch(fiber, BF_LARD_SAME_STACK) == BF_LARD_OK);
        of_the_fiber = 1;
      });
  shared = 2;
  require(bf_lard_thread_switch(fiber, BF_LARD_SAME_STACK) == BF_LARD_OK);
  of_the_fiber = 2;
  // CHECK-NEXT: bigfoot: bf_lard_thread_switch: the OS thread ended as another thread than its own, called in main{{.*}}:[[# @LINE - 19]]:
}
