// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// std::atomic wait and notify: the waiter goes on when the value has changed, and is ordered after
// it.
#include <atomic>

#include "script.h"
#include "spawn.h"

std::atomic<int> stage;
int data;

int main() {
  run_threads(
      [] {
        data = 1;
        stage.store(1, std::memory_order_release);
        stage.notify_all();
        stage.wait(1, std::memory_order_acquire);
        require(data == 2);
      },
      [] {
        stage.wait(0, std::memory_order_acquire);
        data = 2;
        stage.store(2, std::memory_order_release);
        stage.notify_one();
      });
}
