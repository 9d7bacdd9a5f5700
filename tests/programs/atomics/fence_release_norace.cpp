// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// TSAN: false alarm: fences are not modelled

// One fence is enough when the other side is an acquire load. The fence orders for every
// relaxed store behind it, not for the next one only.
#include <atomic>

#include "script.h"
#include "spawn.h"

int data;
std::atomic<int> other;
std::atomic<bool> ready;

int main() {
  run_threads(
      [] {
        data = 42;
        std::atomic_thread_fence(std::memory_order_release);
        other.store(1, std::memory_order_relaxed);
        ready.store(true, std::memory_order_relaxed);
      },
      [] {
        while (!ready.load(std::memory_order_acquire)) sched_yield();
        require(data == 42);
      });
}
