// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// Two threads share out arrays at every offset a round of an unrolled loop can end at: neighbours
// of an access belong to the other thread, whatever is checked with it.
#include "script.h"
#include "spawn.h"

constexpr int kCells = 256;

template <class T>
__attribute__((noinline)) void fill(T* cells, int begin, int end) {
#pragma clang loop vectorize(disable) interleave(disable) unroll_count(4)
  for (int i = begin; i < end; ++i) cells[i] = i;
}
template <class T>
__attribute__((noinline)) void add(T* cells, int begin, int end) {
  for (int i = begin; i < end; ++i) cells[i] += 1;
}

template <class T>
void share_out(int at) {
  T* cells = new T[kCells]();
  run_threads(
      [=] {
        fill(cells, 0, at);
        add(cells, 0, at);
      },
      [=] {
        fill(cells, at, kCells);
        add(cells, at, kCells);
      });
  for (int i = 0; i < kCells; ++i) require(cells[i] == static_cast<T>(i + 1));
  delete[] cells;
}

int main() {
  for (int at = 120; at < 129; ++at) {
    share_out<long>(at);
    share_out<int>(at);
    share_out<short>(at);
  }
}
