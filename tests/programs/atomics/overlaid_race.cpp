// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// One address is accessed by atomics of 8 bytes and, later, of 4: the later one does not stand for the earlier one,
// which is the one that conflicts with a plain write to the upper half.
#include <atomic>
#include <cstdint>

#include "script.h"
#include "spawn.h"

union alignas(64) Overlaid {
  int64_t whole;
  int32_t halves[2];
} shared;
std::atomic<int> other;

int main() {
  run_threads(
      [] {
        __atomic_store_n(&shared.whole, 1, __ATOMIC_RELAXED);  // RACE: atomic write 8
        other.store(1, std::memory_order_release);
        __atomic_store_n(&shared.halves[0], 2, __ATOMIC_RELAXED);
        script_post(0);
      },
      [] {
        script_wait(0);
        shared.halves[1] = 3;  // RACE: write 4
      });
}
