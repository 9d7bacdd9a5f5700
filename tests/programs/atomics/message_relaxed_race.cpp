// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The reader has seen the flag, but both accesses to it are relaxed: nothing is ordered.
#include <atomic>

#include "script.h"
#include "spawn.h"

int data;
std::atomic<bool> ready;

int main() {
  run_threads(
      [] {
        data = 42;  // RACE: write 4
        ready.store(true, std::memory_order_relaxed);
      },
      [] {
        while (!ready.load(std::memory_order_relaxed)) sched_yield();
        keep(data);  // RACE: read 4
      });
}
