// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// TSAN: false alarm: fences are not modelled

// A sequentially consistent fence is a release and an acquire fence; read-modify-writes count as
// relaxed loads and stores around it.
#include <atomic>

#include "script.h"
#include "spawn.h"

int data;
std::atomic<int> turns;

int main() {
  run_threads(
      [] {
        data = 42;
        std::atomic_thread_fence(std::memory_order_seq_cst);
        turns.fetch_add(1, std::memory_order_relaxed);
      },
      [] {
        while (turns.fetch_add(0, std::memory_order_relaxed) == 0) sched_yield();
        std::atomic_thread_fence(std::memory_order_seq_cst);
        require(data == 42);
      });
}
