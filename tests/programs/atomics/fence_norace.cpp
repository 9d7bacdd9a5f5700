// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// TSAN: false alarm: fences are not modelled

// A release fence before a relaxed store, a relaxed load before an acquire fence.
#include <atomic>

#include "script.h"
#include "spawn.h"

int data;
std::atomic<bool> ready;

int main() {
  run_threads(
      [] {
        data = 42;
        std::atomic_thread_fence(std::memory_order_release);
        ready.store(true, std::memory_order_relaxed);
      },
      [] {
        while (!ready.load(std::memory_order_relaxed)) sched_yield();
        std::atomic_thread_fence(std::memory_order_acquire);
        require(data == 42);
      });
}
