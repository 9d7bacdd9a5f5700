// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Constant tables, string literals and vtables are read by everyone.
#include <cstring>

#include "script.h"
#include "spawn.h"

const int kTable[] = {2, 3, 5, 7, 11, 13};
const char* const kNames[] = {"two", "three", "five"};

struct Shape {
  virtual int corners() const { return 0; }
  virtual ~Shape() = default;
};
struct Square : Shape {
  int corners() const override { return 4; }
};

int main() {
  Square square;
  const Shape& shape = square;
  auto reader = [&] {
    int sum = 0;
    for (int prime : kTable) sum += prime;
    require(sum == 41 && strlen(kNames[1]) == 5 && shape.corners() == 4);
  };
  run_threads(reader, reader, reader);
}
