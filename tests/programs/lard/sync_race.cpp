// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A releasing store replaces what was released before.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

char cell;
alignas(64) int first;
alignas(64) int second;

int main() {
  run_threads(
      [] {
        first = 1;  // RACE: write 4
        bf_lard_release(&cell);
        script_post(0);
      },
      [] {
        script_wait(0);
        second = 1;
        bf_lard_release_store(&cell);
        script_post(1);
      },
      [] {
        script_wait(1);
        bf_lard_acquire(&cell);
        second = 2;
        first = 2;  // RACE: write 4
      });
}
