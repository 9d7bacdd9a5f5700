// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Four threads work on an array: by halves, then with stride two. A barrier of joins is between the
// phases.
#include "script.h"
#include "spawn.h"

constexpr int kSize = 1000;
int cells[kSize];

__attribute__((noinline)) void add(int first, int last, int step) {
  for (int i = first; i < last; i += step) cells[i] += i;
}

int main() {
  run_threads([] { add(0, kSize / 2, 1); }, [] { add(kSize / 2, kSize, 1); });
  run_threads([] { add(0, kSize, 2); }, [] { add(1, kSize, 2); });
  for (int i = 0; i < kSize; ++i) require(cells[i] == 2 * i);
}
