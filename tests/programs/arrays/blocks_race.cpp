// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_racy %t

// Threads that divide a large array on the heap among themselves; two of the blocks overlap by one
// element.
#include "script.h"
#include "spawn.h"

constexpr int kSize = 4096;

__attribute__((noinline)) void fill_low(long* cells, int first, int last) {
  for (int i = first; i < last; ++i) cells[i] = i;  // RACE: write
}
__attribute__((noinline)) void fill_high(long* cells, int first, int last) {
  for (int i = first; i < last; ++i) cells[i] = -i;  // RACE: write
}

int main() {
  long* cells = new long[kSize]();
  run_threads([=] { fill_low(cells, 0, kSize / 2 + 1); },
              [=] { fill_high(cells, kSize / 2, kSize); });
  keep_object(cells);
  delete[] cells;
}
