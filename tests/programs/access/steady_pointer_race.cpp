// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Each round of a loop reads a pointer that nothing in the loop changes; another thread changes it,
// unordered.
#include <cmath>

#include "script.h"
#include "spawn.h"

constexpr unsigned long kSize = 64;
double first[kSize], second[kSize];
struct {
  double* cells = first;
} columns;

__attribute__((noinline)) void fill(unsigned long from, unsigned long to) {
  for (unsigned long i = from; i < to; ++i) {
    // clang-format off
    if (i == 0) columns.cells[0] = 1; else columns.cells[i] = std::sin(double(i));  // RACE: read
    // clang-format on
  }
}

__attribute__((noinline)) void replace() {
  columns.cells = second;  // RACE: write
}

int main() {
  run_threads(
      [] {
        fill(1, kSize);
        script_post(0);
      },
      [] {
        script_wait(0);
        replace();
      });
  keep_object(first);
  keep_object(second);
}
