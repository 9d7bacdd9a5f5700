// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_unmarked %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without
// RUN: %run_racy %t.without

// A run time that keeps the clocks of its locks itself: unlock stores what the thread knows, lock
// hands it to the next one.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

uint64_t lock_clock[64];
size_t lock_count;
int shared;

int main() {
  run_threads(
      [] {
        shared = 1;  // RACE: write 4
        bigfoot::lard::Untracked region;
        require(bf_lard_clock_read(lock_clock, 0) > 0);
        lock_count = bf_lard_clock_read(lock_clock, 64);
        require(lock_count > 0 && lock_count <= 64);
        script_post(0);
      },
      [] {
        script_wait(0);
        {
          bigfoot::lard::Untracked region;
#ifndef WITHOUT
          require(bf_lard_clock_write(lock_clock, lock_count) == BF_LARD_OK);
#endif
        }
        shared = 2;  // RACE: write 4
      });
}
