// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A compare-exchange that fails with failure order acquire synchronises with the store it read.
#include <atomic>

#include "script.h"
#include "spawn.h"

std::atomic<int> state;
int data;

int main() {
  run_threads(
      [] {
        data = 1;
        state.store(1, std::memory_order_release);
        script_post(0);
      },
      [] {
        script_wait(0);
        int expected = 0;
        require(!state.compare_exchange_strong(expected, 2, std::memory_order_acq_rel,
                                               std::memory_order_acquire));
        require(expected == 1 && data == 1);
      });
}
