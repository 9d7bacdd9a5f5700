// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// std::atomic_ref over ordinary array elements while threads run, plain access before and after.
#include <atomic>

#include "script.h"
#include "spawn.h"

long histogram[4];

int main() {
  auto count = [] {
    for (int i = 0; i < 400; ++i)
      std::atomic_ref<long>(histogram[i % 4]).fetch_add(1, std::memory_order_relaxed);
  };
  run_threads(count, count, count);
  for (long cell : histogram) require(cell == 300);
}
