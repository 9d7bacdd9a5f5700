// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_unmarked %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without
// RUN: %run_racy %t.without

// One green thread that migrates from an OS thread to another cannot race with itself. Without
// thread identity it seems to.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

int shared;
bf_lard_thread green;

void run_as(bf_lard_thread thread) {
#ifndef WITHOUT
  require(bf_lard_thread_switch(thread, BF_LARD_SAME_STACK) == BF_LARD_OK);
#endif
  keep(thread);
}

int main() {
  green = bf_lard_thread_create(0);
  run_threads(
      [] {
        bf_lard_thread home = bf_lard_thread_current();
        run_as(green);
        shared = 1;  // RACE: write 4
        run_as(home);
        script_post(0);
      },
      [] {
        bf_lard_thread home = bf_lard_thread_current();
        script_wait(0);
        run_as(green);
        shared = 2;  // RACE: write 4
        run_as(home);
      });
  bf_lard_thread_destroy(green);
}
