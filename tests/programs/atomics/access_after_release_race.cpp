// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// What a thread does after its release store is not ordered before the acquire.
#include <atomic>

#include "script.h"
#include "spawn.h"

alignas(64) int before;
alignas(64) int after;
std::atomic<bool> ready;

int main() {
  run_threads(
      [] {
        before = 1;
        ready.store(true, std::memory_order_release);
        after = 1;  // RACE: write 4
        script_post(0);
      },
      [] {
        while (!ready.load(std::memory_order_acquire)) sched_yield();
        script_wait(0);
        keep(before);
        keep(after);  // RACE: read 4
      });
}
