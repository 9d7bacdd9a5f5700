// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A relaxed read-modify-write by another thread continues the release sequence: whoever reads its
// result with acquire synchronises with the release store at the head.
#include <atomic>

#include "script.h"
#include "spawn.h"

int data;
std::atomic<int> state;

int main() {
  run_threads(
      [] {
        data = 42;
        state.store(1, std::memory_order_release);
      },
      [] {
        int one = 1;
        while (!state.compare_exchange_weak(one, 2, std::memory_order_relaxed)) {
          one = 1;
          sched_yield();
        }
      },
      [] {
        while (state.load(std::memory_order_acquire) != 2) sched_yield();
        require(data == 42);
      });
}
