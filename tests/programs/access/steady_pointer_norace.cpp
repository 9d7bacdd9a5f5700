// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Each round of a loop reads a pointer that nothing in the loop changes. It changes between loops,
// under a lock, and each thread writes through the one that it finds.
#include <cmath>
#include <mutex>

#include "script.h"
#include "spawn.h"

constexpr unsigned long kSize = 64;
double first[kSize], second[kSize];
std::mutex mutex;
struct {
  double* cells = first;
} columns;

__attribute__((noinline)) void fill(unsigned long from, unsigned long to) {
  std::scoped_lock lock(mutex);
  for (unsigned long i = from; i < to; ++i) {
    if (i == 0)
      columns.cells[0] = 1;
    else
      columns.cells[i] = std::sin(double(i));
  }
  columns.cells = columns.cells == first ? second : first;
}

int main() {
  run_threads([] { fill(0, kSize); }, [] { fill(0, kSize); });
  for (unsigned long i = 1; i < kSize; ++i) {
    require(first[i] == std::sin(double(i)));
    require(second[i] == first[i]);
  }
}
