// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Thread-local variables of many threads, one after the other and together: the storage is reused.
#include "script.h"
#include "spawn.h"

thread_local int counter;
thread_local char text[64];

void work() {
  require(counter == 0 && text[0] == 0);
  for (int i = 0; i < 50; ++i) text[i] = static_cast<char>(++counter);
  require(counter == 50);
}

int main() {
  for (int round = 0; round < 10; ++round) run_threads(work, work, work);
}
