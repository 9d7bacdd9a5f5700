// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Read-modify-writes of every kind as the lock of a critical section.
#include <atomic>

#include "script.h"
#include "spawn.h"

std::atomic<int> word;
long total;

void by_exchange() {
  while (word.exchange(1, std::memory_order_acquire) != 0) sched_yield();
  ++total;
  word.store(0, std::memory_order_release);
}

void by_compare_exchange() {
  int expected = 0;
  while (!word.compare_exchange_weak(expected, 1, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
    expected = 0;
    sched_yield();
  }
  ++total;
  word.fetch_sub(1, std::memory_order_release);
}

void by_fetch_or() {
  while (word.fetch_or(1, std::memory_order_acq_rel) & 1) sched_yield();
  ++total;
  word.fetch_and(~1, std::memory_order_acq_rel);
}

int main() {
  run_threads(
      [] {
        for (int i = 0; i < 100; ++i) by_exchange();
      },
      [] {
        for (int i = 0; i < 100; ++i) by_compare_exchange();
      },
      [] {
        for (int i = 0; i < 100; ++i) by_fetch_or();
      });
  require(total == 300);
}
