// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Accesses of code that was built without checks are not seen, and must not confuse those that are:
// qsort of the C library moves the elements and calls back into the program.
#include <cstdlib>

#include "script.h"
#include "spawn.h"

int compare(const void* left, const void* right) {
  return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

int numbers[2][100];

void fill_and_sort(int index) {
  for (int i = 0; i < 100; ++i) numbers[index][i] = (i * 37) % 100;
  qsort(numbers[index], 100, sizeof(int), compare);
}

int main() {
  run_threads([] { fill_and_sort(0); }, [] { fill_and_sort(1); });
  for (int i = 0; i < 100; ++i) require(numbers[0][i] == i && numbers[1][i] == i);
}
