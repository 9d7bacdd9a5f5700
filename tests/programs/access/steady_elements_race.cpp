// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Two threads fill parts of an array that overlap by one element, through a pointer that each round
// reads again.
#include <cmath>

#include "script.h"
#include "spawn.h"

constexpr unsigned long kSize = 64;
double cells[kSize];
struct {
  double* cells = ::cells;
} columns;

__attribute__((noinline)) void fill_low(unsigned long from, unsigned long to) {
  for (unsigned long i = from; i < to; ++i) {
    if (i == 0)
      columns.cells[0] = 1;
    else
      columns.cells[i] = std::sin(double(i));  // RACE: write
  }
}

__attribute__((noinline)) void fill_high(unsigned long from, unsigned long to) {
  for (unsigned long i = from; i < to; ++i) columns.cells[i] = std::cos(double(i));  // RACE: write
}

int main() {
  run_threads([] { fill_low(1, kSize / 2 + 1); }, [] { fill_high(kSize / 2, kSize); });
  keep_object(cells);
}
