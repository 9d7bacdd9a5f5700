// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// TSAN: hangs: its own once does not know exceptions

// A call that ends in an exception does not count: the next one runs the function again, ordered
// after it and after the destructors that the exception has run.
#include <mutex>
#include <thread>

#include "script.h"

std::once_flag once;
int table, attempts, cleanups;

struct CountsItsEnd {
  ~CountsItsEnd() { ++cleanups; }
};

void initialise() {
  CountsItsEnd local;
  if (++attempts < 3) throw 1;
  table = 7;
}

bool attempt() {
  try {
    std::call_once(once, initialise);
  } catch (int) {
    return false;
  }
  return table == 7 && cleanups == attempts;
}

int main() {
  bool succeeded[3];
  {
    std::jthread threads[3];
    for (int i = 0; i < 3; ++i)
      threads[i] = std::jthread([i, &succeeded] {
        if (i > 0) script_wait(i - 1);
        succeeded[i] = attempt();
        script_post(i);
      });
  }
  return succeeded[0] || succeeded[1] || !succeeded[2];
}
