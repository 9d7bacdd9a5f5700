// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Double-checked locking with a plain pointer: the first check is a race.
#include <mutex>

#include "script.h"
#include "spawn.h"

std::mutex mutex;
int* instance;

void* get() {
  if (!instance) {  // RACE: read 8
    std::lock_guard lock(mutex);
    if (!instance) instance = new int(1);  // RACE: write 8
  }
  return nullptr;
}

int main() {
  run_threads(
      [] {
        get();
        script_post(0);
      },
      [] {
        script_wait(0);
        get();
      });
  delete instance;
}
