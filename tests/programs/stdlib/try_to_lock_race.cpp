// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// unique_lock with try_to_lock, whose owns_lock nobody asks.
#include <mutex>
#include <thread>

#include "script.h"

std::mutex mutex;
int value;

int main() {
  std::jthread owner([] {
    std::lock_guard lock(mutex);
    value = 1;  // RACE: write 4
    script_post(0);
    script_wait(1);
  });
  script_wait(0);
  std::unique_lock lock(mutex, std::try_to_lock);
  value = 2;  // RACE: write 4
  script_post(1);
}
