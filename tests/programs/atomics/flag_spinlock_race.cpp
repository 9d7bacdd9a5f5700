// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A spin lock whose unlock is relaxed: mutual exclusion without ordering.
#include <atomic>

#include "script.h"
#include "spawn.h"

std::atomic_flag busy;
int counter;

void increment() {
  while (busy.test_and_set(std::memory_order_acquire)) sched_yield();
  ++counter;  // RACE: read 4, write 4
  busy.clear(std::memory_order_relaxed);
}

int main() {
  run_threads(increment, increment);
  keep(counter);
}
