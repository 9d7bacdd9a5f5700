// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// One thread iterates over an array with a standard algorithm, another writes one of its elements.
#include <algorithm>
#include <array>
#include <numeric>
#include <thread>

#include "script.h"

std::array<int, 100> values;

int main() {
  std::jthread reader([] {
    keep(std::accumulate(values.begin(), values.end(), 0));  // RACE: read
  });
  values[50] = 1;  // RACE: write 4
}
