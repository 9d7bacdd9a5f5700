// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The history of four ints is in two leaves of shadow, and what lies behind the first of them in memory is that of other
// ints, which the thread has just read. It must not be taken for that of the last two, one of which another thread wrote.
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
  for (int k = 0; k < 4; ++k) sum = sum / p[k] + 1;  // RACE: read
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
    at(x, kLeaf) = 2;  // RACE: write 4
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
