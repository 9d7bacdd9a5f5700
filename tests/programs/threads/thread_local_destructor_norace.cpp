// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Destructors of thread_local objects run in their thread, before the join returns.
#include "script.h"
#include "spawn.h"

int finished[3];

struct Reporter {
  int* slot = nullptr;
  ~Reporter() {
    if (slot) *slot = 1;
  }
};
thread_local Reporter reporter;

int main() {
  run_threads([] { reporter.slot = &finished[0]; }, [] { reporter.slot = &finished[1]; },
              [] { reporter.slot = &finished[2]; });
  require(finished[0] + finished[1] + finished[2] == 3);
}
