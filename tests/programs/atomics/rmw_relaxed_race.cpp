// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A counter whose increments are relaxed decides who comes second, but orders nothing.
#include <atomic>

#include "script.h"
#include "spawn.h"

std::atomic<int> arrived;
int data;

int main() {
  run_threads(
      [] {
        data = 1;  // RACE: write 4
        arrived.fetch_add(1, std::memory_order_relaxed);
      },
      [] {
        while (arrived.fetch_add(0, std::memory_order_relaxed) == 0) sched_yield();
        keep(data);  // RACE: read 4
      });
}
