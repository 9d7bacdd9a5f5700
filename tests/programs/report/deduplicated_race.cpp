// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: %not %t 2>&1 | %filecheck %s

// The same two lines race on the same variable again and again: one report.
#include "script.h"
#include "spawn.h"

int shared;

int main() {
  for (int round = 0; round < 5; ++round)
    run_threads(
        [] {
          shared = 1;  // RACE: write 4
          script_post(0);
        },
        [round] {
          script_wait_for(0, round + 1);
          keep(shared);  // RACE: read 4
        });
}

// CHECK-COUNT-1: WARNING: {{BigFoot|ThreadSanitizer}}: data race
// CHECK-NOT: WARNING
