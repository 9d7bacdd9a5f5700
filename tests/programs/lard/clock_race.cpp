// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// What the thread does after its clock was read is not in it.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

uint64_t lock_clock[64];
size_t lock_count;
alignas(64) int before;
alignas(64) int after;

int main() {
  run_threads(
      [] {
        before = 1;
        {
          bigfoot::lard::Untracked region;
          lock_count = bf_lard_clock_read(lock_clock, 64);
        }
        after = 1;  // RACE: write 4
        script_post(0);
      },
      [] {
        script_wait(0);
        {
          bigfoot::lard::Untracked region;
          bf_lard_clock_write(lock_clock, lock_count);
        }
        before = 2;
        after = 2;  // RACE: write 4
      });
}
