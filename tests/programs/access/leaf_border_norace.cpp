// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// As leaf_border_race, but what another thread wrote lies behind the four ints.
#include <cstdlib>

#include "script.h"
#include "spawn.h"

constexpr int kLeaf = 32;  // ints
int* x;
int* other;

static volatile int& at(int* ints, int i) {
  return ints[i];
}

__attribute__((noinline)) int four(const int* p) {
  int sum = 1 << 20;
  for (int k = 0; k < 4; ++k) sum = sum / p[k] + 1;
  return sum;
}

int main() {
  const auto ints = [] {
    auto* made = static_cast<int*>(std::aligned_alloc(kLeaf * sizeof(int), 2 * kLeaf * sizeof(int)));
    for (int i = 0; i < 2 * kLeaf; ++i) made[i] = 1;
    return made;
  };
  x = ints();
  other = ints();
  auto writes = [] {
    at(x, kLeaf + 2) = 2;
    script_post(0);
  };
  auto reads = [] {
    script_wait(0);
    keep(at(x, kLeaf - 2) + at(x, kLeaf - 1));
    keep(at(other, 0) + at(other, 1));
    keep(four(x + kLeaf - 2));
  };
  run_threads(writes, reads);
}
