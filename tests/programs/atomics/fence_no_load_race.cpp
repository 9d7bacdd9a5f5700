// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Two fences without an atomic in between that one thread writes and the other reads order nothing,
// sequentially consistent or not.
#include <atomic>

#include "script.h"
#include "spawn.h"

int data;

int main() {
  run_threads(
      [] {
        data = 42;  // RACE: write 4
        std::atomic_thread_fence(std::memory_order_seq_cst);
        script_post(0);
      },
      [] {
        script_wait(0);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        keep(data);  // RACE: read 4
      });
}
