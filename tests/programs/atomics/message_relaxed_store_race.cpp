// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// An acquire load that reads from a relaxed store acquires nothing.
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
        while (!ready.load(std::memory_order_acquire)) sched_yield();
        keep(data);  // RACE: read 4
      });
}
