// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without
// RUN: %run_unmarked %t.without

// The system calls a finalizer of the program from within its own untracked code. Without a tracked
// region inside, the program's race there is missed.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

int shared;
int system_state;

void finalizer() {
  shared = 1;  // RACE: write 4
}

void collect() {
  bigfoot::lard::Untracked region;
  system_state = 1;
  {
#ifndef WITHOUT
    bigfoot::lard::Tracked program;
#endif
    finalizer();
  }
  system_state = 2;
}

int main() {
  run_threads(
      [] {
        collect();
        script_post(0);
      },
      [] {
        script_wait(0);
        bigfoot::lard::Untracked region;
        keep(system_state);
        {
          bigfoot::lard::Tracked program;
          keep(shared);  // RACE: read 4
        }
      });
}
