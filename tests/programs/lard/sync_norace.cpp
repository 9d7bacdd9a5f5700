// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_unmarked %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without
// RUN: %run_racy %t.without

// A lock of the language, told to the detector from inside the system's untracked code.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

char lock;
int shared;

int main() {
  run_threads(
      [] {
        shared = 1;  // RACE: write 4
        bigfoot::lard::Untracked region;
#ifndef WITHOUT
        bf_lard_release(&lock);
#endif
        script_post(0);
      },
      [] {
        script_wait(0);
        {
          bigfoot::lard::Untracked region;
          bf_lard_acquire(&lock);
        }
        shared = 2;  // RACE: write 4
      });
}
