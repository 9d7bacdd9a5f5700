// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// TSAN: misses: a relaxed store leaves the released clock in place

// A relaxed store by another thread ends the release sequence: an acquire load that reads it is not
// ordered after the release store it has overwritten.
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
        script_post(0);
      },
      [] {
        script_wait(0);
        state.store(2, std::memory_order_relaxed);
        script_post(1);
      },
      [] {
        script_wait(1);
        require(state.load(std::memory_order_acquire) == 2);
        keep(data);  // RACE: read 4
      });
}
