// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// TSAN: may miss: readers evict each other

// 16 threads read a variable, then one that is ordered with all but the first of them writes it.
#include "script.h"
#include "spawn.h"

int shared;

int main() {
  auto first = [] {
    keep(shared);  // RACE: read 4
    script_post(0);
  };
  auto later = [] { keep(shared + 1); };
  pthread_t unordered = start_thread(first);
  script_wait(0);
  for (int i = 0; i < 5; ++i) run_threads(later, later, later);
  shared = 1;  // RACE: write 4
  join_thread(unordered);
}
