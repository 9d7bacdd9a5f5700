// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// An object that is used as a lock is moved, odd bytes along with it: its releases come with it. In
// one batch, compacting downwards: each target overlaps the source before it.
#include <bigfoot/lard.h>
#include <string.h>

#include "script.h"
#include "spawn.h"

alignas(8) char heap[96];
int shared;

int main() {
  run_threads(
      [] {
        shared = 1;
        bf_lard_release(&heap[40]);
        bf_lard_transfer slide[] = {{&heap[20], &heap[0], 20}, {&heap[40], &heap[20], 24}};
        require(bf_lard_move_all(slide, 2) == BF_LARD_OK);
        script_post(0);
      },
      [] {
        script_wait(0);
        bf_lard_acquire(&heap[20]);
        shared = 2;
      });
}
