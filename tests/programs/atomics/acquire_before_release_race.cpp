// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The acquire load comes before the release store and reads the old value: no ordering follows,
// although both operations are strong enough.
#include <atomic>

#include "script.h"
#include "spawn.h"

int data;
std::atomic<bool> ready;

int main() {
  run_threads(
      [] {
        script_wait(0);
        data = 42;  // RACE: write 4
        ready.store(true, std::memory_order_release);
      },
      [] {
        keep(ready.load(std::memory_order_acquire));
        script_post(0);
        keep(data);  // RACE: read 4
      });
}
