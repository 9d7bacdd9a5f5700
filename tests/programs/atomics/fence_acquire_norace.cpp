// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// TSAN: false alarm: fences are not modelled

// An acquire fence takes up what the relaxed loads before it have read from release stores.
#include <atomic>

#include "script.h"
#include "spawn.h"

int left, right;
std::atomic<bool> left_ready, right_ready;

int main() {
  run_threads(
      [] {
        left = 1;
        left_ready.store(true, std::memory_order_release);
      },
      [] {
        right = 2;
        right_ready.store(true, std::memory_order_release);
      },
      [] {
        while (!left_ready.load(std::memory_order_relaxed)) sched_yield();
        while (!right_ready.load(std::memory_order_relaxed)) sched_yield();
        std::atomic_thread_fence(std::memory_order_acquire);
        require(left + right == 3);
      });
}
