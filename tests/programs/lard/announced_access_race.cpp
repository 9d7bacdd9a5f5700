// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without
// RUN: %run_unmarked %t.without

// An interpreter accesses the program's objects on its behalf. Its own code is untracked; what the
// program does is announced, also in the middle of that.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

long slots[4];

void interpret_store(long* slot, long value) {
  bigfoot::lard::Untracked region;
#ifndef WITHOUT
  bf_lard_write(slot, sizeof *slot);  // RACE: write 8
#endif
  *slot = value;
}

int main() {
  run_threads(
      [] {
        interpret_store(&slots[1], 1);
        interpret_store(&slots[2], 1);
        script_post(0);
      },
      [] {
        script_wait(0);
        interpret_store(&slots[0], 2);
        interpret_store(&slots[1], 2);
      });
}
