// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// One address is accessed by atomics of 8 bytes and, later, of 4. The later ones say nothing of the upper half,
// and the earlier ones are ordered before the plain write there.
#include <atomic>
#include <cstdint>

#include "script.h"
#include "spawn.h"

union alignas(64) Overlaid {
  int64_t whole;
  int32_t halves[2];
} shared;
std::atomic<int> ordered;

int main() {
  run_threads(
      [] {
        __atomic_store_n(&shared.whole, 1, __ATOMIC_RELAXED);
        ordered.store(1, std::memory_order_release);
        __atomic_store_n(&shared.halves[0], 2, __ATOMIC_RELAXED);
        script_post(0);
      },
      [] {
        script_wait(0);
        keep(ordered.load(std::memory_order_acquire));
        shared.halves[1] = 3;
      });
}
