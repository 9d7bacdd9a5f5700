// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// wait() with relaxed order wakes up as well but orders nothing.
#include <atomic>

#include "script.h"
#include "spawn.h"

std::atomic<int> stage;
int data;

int main() {
  run_threads(
      [] {
        data = 1;  // RACE: write 4
        stage.store(1, std::memory_order_relaxed);
        stage.notify_all();
      },
      [] {
        stage.wait(0, std::memory_order_relaxed);
        keep(data);  // RACE: read 4
      });
}
