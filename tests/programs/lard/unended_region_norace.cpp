// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %t > %t.out 2>&1
// RUN: %filecheck %s --input-file %t.out --implicit-check-not=bigfoot:
// RUN: %t exits > %t.exits 2>&1
// RUN: %filecheck %s --check-prefix=EXITS --allow-empty --input-file %t.exits

// A region that its thread never ended is said with the place where it began, when the thread ends:
// an OS thread, main. A logical thread is not destroyed inside of one.
// EXITS-NOT: bigfoot:
#include <bigfoot/lard.h>
#include <stdlib.h>

#include "script.h"
#include "spawn.h"

int main(int argc, char**) {
  if (argc > 1) {
    // To call exit inside of a region is no mistake: nobody could have ended it.
    bigfoot::lard::Untracked region;
    exit(0);
  }
  run_threads(
      [] {
        bf_lard_untracked_begin(BF_LARD_SYNC);
        // CHECK: bigfoot: bf_lard_tracked_begin: the thread ended inside of this region, called in {{.*}}unended_region_norace.cpp:[[# @LINE + 1]]:
        bf_lard_tracked_begin(BF_LARD_SYNC);
        // CHECK-NEXT: bigfoot: bf_lard_untracked_begin: the thread ended inside of this region, called in {{.*}}:[[# @LINE - 3]]:
      },
      [] {
        bf_lard_untracked_begin(BF_LARD_ALL);
        bf_lard_untracked_end(BF_LARD_ALL);
      });

  const bf_lard_thread home = bf_lard_thread_current(), other = bf_lard_thread_create(0);
  bf_lard_thread_switch(other, BF_LARD_SAME_STACK);
  bf_lard_untracked_begin(BF_LARD_ACCESSES);
  bf_lard_thread_switch(home, BF_LARD_SAME_STACK);
  // CHECK-NEXT: bigfoot: bf_lard_thread_destroy: the thread is inside of a region, called in main{{.*}}:[[# @LINE + 1]]:
  require(bf_lard_thread_destroy(other) == BF_LARD_MISUSE);
  bf_lard_thread_switch(other, BF_LARD_SAME_STACK);
  require(bf_lard_untracked_end(BF_LARD_ACCESSES) == BF_LARD_OK);
  bf_lard_thread_switch(home, BF_LARD_SAME_STACK);
  require(bf_lard_thread_destroy(other) == BF_LARD_OK);

  // CHECK-NEXT: bigfoot: bf_lard_untracked_begin: the thread ended inside of this region, called in main{{.*}}:[[# @LINE + 1]]:
  bf_lard_untracked_begin(BF_LARD_ALL);
}
