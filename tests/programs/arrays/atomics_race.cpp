// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_racy %t

// Counters in an array: some are incremented atomically, and a thread clears all of them at once.
#include <atomic>

#include "script.h"
#include "spawn.h"

constexpr int kSize = 500;

__attribute__((noinline)) void clear(long* cells) {
  for (int i = 0; i < kSize; ++i) cells[i] = 0;  // RACE: write
}

int main() {
  long* cells = new long[kSize]();
  run_threads(
      [=] {
        clear(cells);
        script_post(0);
      },
      [=] {
        script_wait(0);
        std::atomic_ref<long>(cells[123])
            .fetch_add(1, std::memory_order_relaxed);  // RACE: atomic write 8
      });
  delete[] cells;
}
