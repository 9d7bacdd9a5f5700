// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The thread in the middle of a release sequence, whose own read-modify-write is relaxed, acquires
// nothing.
#include <atomic>

#include "script.h"
#include "spawn.h"

int data;
std::atomic<int> state;

int main() {
  run_threads(
      [] {
        data = 42;  // RACE: write 4
        state.store(1, std::memory_order_release);
      },
      [] {
        while (state.fetch_add(0, std::memory_order_relaxed) == 0) sched_yield();
        keep(data);  // RACE: read 4
      });
}
