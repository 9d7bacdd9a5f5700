// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A spin lock made of std::atomic_flag.
#include <atomic>

#include "script.h"
#include "spawn.h"

std::atomic_flag busy;
int counter;

void increment() {
  for (int i = 0; i < 200; ++i) {
    while (busy.test_and_set(std::memory_order_acquire)) sched_yield();
    ++counter;
    busy.clear(std::memory_order_release);
  }
}

int main() {
  run_threads(increment, increment, increment);
  require(counter == 600);
}
