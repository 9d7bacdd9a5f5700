// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A lock that is collected ends: who takes the next object at its address learns nothing.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

alignas(8) char heap[16];
int shared;

int main() {
  run_threads(
      [] {
        shared = 1;  // RACE: write 4
        bf_lard_release(&heap[4]);
        bf_lard_clear(&heap[4], 4);
        script_post(0);
      },
      [] {
        script_wait(0);
        bf_lard_acquire(&heap[4]);
        shared = 2;  // RACE: write 4
      });
}
