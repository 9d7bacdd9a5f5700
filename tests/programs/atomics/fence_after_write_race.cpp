// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The fence covers what was written before it, not what was written between the fence and the
// store.
#include <atomic>

#include "script.h"
#include "spawn.h"

int data;
std::atomic<bool> ready;

int main() {
  run_threads(
      [] {
        std::atomic_thread_fence(std::memory_order_release);
        data = 42;  // RACE: write 4
        ready.store(true, std::memory_order_relaxed);
      },
      [] {
        while (!ready.load(std::memory_order_relaxed)) sched_yield();
        std::atomic_thread_fence(std::memory_order_acquire);
        keep(data);  // RACE: read 4
      });
}
