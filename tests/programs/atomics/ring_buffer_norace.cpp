// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A single-producer, single-consumer ring: the slots are plain, two indices order their reuse.
#include <atomic>

#include "script.h"
#include "spawn.h"

constexpr unsigned kSlots = 8;
int slots[kSlots];
std::atomic<unsigned> written, taken;

int main() {
  run_threads(
      [] {
        for (unsigned i = 0; i < 500; ++i) {
          while (i - taken.load(std::memory_order_acquire) == kSlots) sched_yield();
          slots[i % kSlots] = static_cast<int>(i);
          written.store(i + 1, std::memory_order_release);
        }
      },
      [] {
        for (unsigned i = 0; i < 500; ++i) {
          while (written.load(std::memory_order_acquire) == i) sched_yield();
          require(slots[i % kSlots] == static_cast<int>(i));
          taken.store(i + 1, std::memory_order_release);
        }
      });
}
