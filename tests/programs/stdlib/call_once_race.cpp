// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A hand-made "once": the flag is a bool.
#include <mutex>
#include <thread>

#include "script.h"

alignas(64) bool initialised;
alignas(64) int table;
std::mutex mutex;

void use(int value) {
  if (initialised) {  // RACE: flag read 1
    keep(table);      // RACE: table read 4
    return;
  }
  std::lock_guard lock(mutex);
  table = value;       // RACE: table write 4
  initialised = true;  // RACE: flag write 1
}

int main() {
  std::jthread first([] {
    use(1);
    script_post(0);
  });
  std::jthread second([] {
    script_wait(0);
    use(2);
  });
}
