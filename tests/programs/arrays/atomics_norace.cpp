// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// Counters in an array: incremented atomically by all, and cleared before and after.
#include <atomic>

#include "script.h"
#include "spawn.h"

constexpr int kSize = 500;

int main() {
  long* cells = new long[kSize]();
  auto count = [=] {
    for (int i = 0; i < kSize; i += 50)
      std::atomic_ref<long>(cells[i]).fetch_add(1, std::memory_order_relaxed);
  };
  auto clear = [=] {
    for (int i = 0; i < kSize; ++i) cells[i] = 0;
  };
  pthread_t other = start_thread(clear);
  join_thread(other);
  run_threads(count, count);
  run_threads(clear);
  delete[] cells;
}
