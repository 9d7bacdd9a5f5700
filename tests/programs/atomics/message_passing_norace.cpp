// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Data published by a store and read after a load that saw it: every pair of orders that
// synchronises.
#include <atomic>

#include "script.h"
#include "spawn.h"

template <std::memory_order kStore, std::memory_order kLoad>
void pass_message() {
  static int data;
  static std::atomic<int> flag;
  run_threads(
      [] {
        data = 42;
        flag.store(1, kStore);
      },
      [] {
        while (flag.load(kLoad) == 0) sched_yield();
        require(data == 42);
      });
}

int main() {
  pass_message<std::memory_order_release, std::memory_order_acquire>();
  pass_message<std::memory_order_release, std::memory_order_seq_cst>();
  pass_message<std::memory_order_seq_cst, std::memory_order_acquire>();
  pass_message<std::memory_order_seq_cst, std::memory_order_seq_cst>();
  pass_message<std::memory_order_release, std::memory_order_consume>();
}
