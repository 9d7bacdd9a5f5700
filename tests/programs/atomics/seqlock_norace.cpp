// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// TSAN: false alarm: fences are not modelled

// A sequence lock with relaxed data and fences; the data are plain when the writers are joined.
#include <atomic>

#include "script.h"
#include "spawn.h"

std::atomic<unsigned> sequence;
std::atomic<int> x, y;
int written;

void write_pair(int value) {
  unsigned before = sequence.load(std::memory_order_relaxed);
  sequence.store(before + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  x.store(value, std::memory_order_relaxed);
  y.store(-value, std::memory_order_relaxed);
  written = value;
  sequence.store(before + 2, std::memory_order_release);
}

int main() {
  run_threads([] { write_pair(5); },
              [] {
                unsigned before, after;
                do {
                  before = sequence.load(std::memory_order_relaxed);
                  std::atomic_thread_fence(std::memory_order_acquire);
                  require(before != 2 || x.load(std::memory_order_relaxed) == 5);
                  after = sequence.load(std::memory_order_relaxed);
                } while (before != after || before != 2);
                require(written == 5);
              });
}
