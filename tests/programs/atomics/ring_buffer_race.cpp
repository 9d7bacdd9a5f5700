// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// TSAN: may miss: the two accesses are often simultaneous, and its check is not atomic

// The same ring with a consumer that gives the slot back before it has read it.
#include <atomic>

#include "script.h"
#include "spawn.h"

int slot;
std::atomic<int> full;

int main() {
  run_threads(
      [] {
        slot = 1;
        full.store(1, std::memory_order_release);
        while (full.load(std::memory_order_acquire) == 1) sched_yield();
        slot = 2;  // RACE: write 4
      },
      [] {
        while (full.load(std::memory_order_acquire) == 0) sched_yield();
        full.store(0, std::memory_order_release);
        keep(slot);  // RACE: read 4
      });
}
