// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A release store replaces what an earlier release store of another thread left: who reads the
// second is ordered after the second thread only.
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
        state.store(2, std::memory_order_release);
        script_post(1);
      },
      [] {
        script_wait(1);
        require(state.load(std::memory_order_acquire) == 2);
        keep(data);  // RACE: read 4
      });
}
