// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Volatile accesses of one thread, then of another, ordered by join.
#include "script.h"
#include "spawn.h"

volatile int ready;

int main() {
  run_threads([] { ready = ready + 1; });
  run_threads([] { ready = ready + 1; });
  require(ready == 2);
}
