// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A sweep over an array, at one place, whose middle is in a region of untracked accesses. The other
// thread writes to the middle.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

constexpr int kSize = 4096, kMiddle = 1024, kMiddleEnd = 3072;

__attribute__((noinline)) void fill(long* cells) {
  for (int i = 0; i < kSize; ++i) {
    if (i == kMiddle) bf_lard_untracked_begin(BF_LARD_ACCESSES);
    if (i == kMiddleEnd) bf_lard_untracked_end(BF_LARD_ACCESSES);
    cells[i] = i;
  }
}
__attribute__((noinline)) void change(long* cells, int first, int last) {
  for (int i = first; i < last; ++i) cells[i] = -i;
}

int main() {
  long* cells = new long[kSize]();
  run_threads([=] { fill(cells); }, [=] { change(cells, kMiddle, kMiddleEnd); });
  keep_object(cells);
  delete[] cells;
}
