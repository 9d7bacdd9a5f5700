// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A signal fence holds back the compiler only; it orders nothing between threads.
#include <atomic>

#include "script.h"
#include "spawn.h"

int data;
std::atomic<bool> ready;

int main() {
  run_threads(
      [] {
        data = 42;  // RACE: write 4
        std::atomic_signal_fence(std::memory_order_release);
        ready.store(true, std::memory_order_relaxed);
      },
      [] {
        while (!ready.load(std::memory_order_relaxed)) sched_yield();
        std::atomic_signal_fence(std::memory_order_acquire);
        keep(data);  // RACE: read 4
      });
}
