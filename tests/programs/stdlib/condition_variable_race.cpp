// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The flag is read under the mutex but written without it; that the writer locks later does not
// help.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "script.h"

std::mutex mutex;
std::condition_variable changed;
alignas(64) bool ready;
alignas(64) bool finished;

int main() {
  std::jthread waiter([] {
    std::unique_lock lock(mutex);
    keep(ready);  // RACE: read 1
    script_post(0);
    changed.wait(lock, [] { return finished; });
  });
  script_wait(0);
  ready = true;  // RACE: write 1
  {
    std::lock_guard lock(mutex);
    finished = true;
  }
  changed.notify_one();
}
