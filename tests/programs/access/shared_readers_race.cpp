// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Three readers, then a writer that is ordered after the last of them only (by join). The racing
// reader is not the last one: a detector that remembers one reader misses it.
#include "script.h"
#include "spawn.h"

int shared = 1;

int main() {
  auto early = [] {
    keep(shared);  // RACE: read 4
    script_post(0);
  };
  auto late = [] {
    script_wait(0);
    keep(shared + 1);
  };
  pthread_t unordered = start_thread(early);
  run_threads(late, late);
  shared = 2;  // RACE: write 4
  join_thread(unordered);
}
