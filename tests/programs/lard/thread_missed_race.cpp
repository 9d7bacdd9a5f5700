// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without
// RUN: %run_unmarked %t.without

// Two green threads write without order, one after the other on one OS thread. Without thread
// identity they are one thread, and the race is missed.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

int shared;

void run_as(bf_lard_thread thread) {
#ifndef WITHOUT
  require(bf_lard_thread_switch(thread, BF_LARD_SAME_STACK) == BF_LARD_OK);
#endif
  keep(thread);
}

int main() {
  bf_lard_thread home = bf_lard_thread_current();
  bf_lard_thread a = bf_lard_thread_create(0), b = bf_lard_thread_create(0);
  run_as(a);
  shared = 1;  // RACE: write 4
  keep_object(&shared);
  run_as(b);
  shared = 2;  // RACE: write 4
  keep_object(&shared);
  run_as(home);
  bf_lard_thread_destroy(a);
  bf_lard_thread_destroy(b);
}
