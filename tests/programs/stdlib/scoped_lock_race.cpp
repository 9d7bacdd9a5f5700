// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The lock is a temporary that dies at the end of its own statement.
#include <mutex>
#include <thread>

#include "script.h"

std::mutex mutex;
int balance;

int main() {
  std::jthread first([] {
    (void)std::scoped_lock(mutex);
    balance = 1;  // RACE: write 4
    script_post(0);
  });
  std::jthread second([] {
    script_wait(0);
    std::scoped_lock lock(mutex);
    balance = 2;  // RACE: write 4
  });
}
