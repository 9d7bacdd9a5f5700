// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// TSAN: misses: a relaxed store leaves the released clock in place

// Since C++20 even a relaxed store by the releasing thread itself ends its release sequence.
#include <atomic>

#include "script.h"
#include "spawn.h"

int data;
std::atomic<int> state;

int main() {
  run_threads(
      [] {
        data = 42;  // RACE: write 4
        state.store(1, std::memory_order_release);
        state.store(2, std::memory_order_relaxed);
        script_post(0);
      },
      [] {
        script_wait(0);
        require(state.load(std::memory_order_acquire) == 2);
        keep(data);  // RACE: read 4
      });
}
