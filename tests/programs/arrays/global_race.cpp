// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_racy %t

// Threads that divide a global array among themselves; two of the blocks overlap by one element.
#include "script.h"
#include "spawn.h"

constexpr int kSize = 4096;
long cells[kSize];

__attribute__((noinline)) void fill_low(int last) {
  for (int i = 0; i < last; ++i) cells[i] = i;  // RACE: write
}
__attribute__((noinline)) void fill_high(int first) {
  for (int i = first; i < kSize; ++i) cells[i] = -i;  // RACE: write
}

int main() {
  run_threads([] { fill_low(kSize / 2 + 1); }, [] { fill_high(kSize / 2); });
  keep_object(cells);
}
