// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Two threads fill two halves of an array, but the halves overlap by one element.
#include "script.h"
#include "spawn.h"

constexpr int kSize = 100;
long cells[kSize];

__attribute__((noinline)) void fill_low(int first, int last) {
  for (int i = first; i < last; ++i) cells[i] = i;  // RACE: write
}

__attribute__((noinline)) void fill_high(int first, int last) {
  for (int i = first; i < last; ++i) cells[i] = -i;  // RACE: write
}

int main() {
  run_threads([] { fill_low(0, kSize / 2 + 1); }, [] { fill_high(kSize / 2, kSize); });
  keep_object(cells);
}
