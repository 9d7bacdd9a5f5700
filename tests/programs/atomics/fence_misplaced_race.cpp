// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The release fence stands behind the store it should precede.
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
        std::atomic_thread_fence(std::memory_order_release);
        script_post(0);
      },
      [] {
        script_wait(0);
        while (!ready.load(std::memory_order_relaxed)) sched_yield();
        std::atomic_thread_fence(std::memory_order_acquire);
        keep(data);  // RACE: read 4
      });
}
