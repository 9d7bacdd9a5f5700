// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Two threads' thread_local destructors write the same variable.
#include "script.h"
#include "spawn.h"

int last_finished;

struct Reporter {
  int id = 0;
  ~Reporter() {
    last_finished = id;  // RACE: write 4
  }
};
thread_local Reporter reporter;

int main() {
  run_threads([] { reporter.id = 1; }, [] { reporter.id = 2; });
  keep(last_finished);
}
