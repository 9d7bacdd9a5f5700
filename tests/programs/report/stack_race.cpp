// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: %not %t 2>&1 | %filecheck %s

// A variable on the stack of main.
#include "script.h"
#include "spawn.h"

int main() {
  int local = 0;
  keep_object(&local);
  run_threads([&] { local = 1; },   // RACE: write 4
              [&] { local = 2; });  // RACE: write 4
  keep(local);
}

// CHECK: WARNING: {{BigFoot|ThreadSanitizer}}: data race
// CHECK: Location is stack of main thread.
