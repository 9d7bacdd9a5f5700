// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A local variable of main, handed to two threads by address.
#include "script.h"
#include "spawn.h"

int main() {
  int local = 0;
  int* shared = &local;
  keep_object(shared);
  run_threads([=] { *shared = 1; },   // RACE: write 4
              [=] { *shared = 2; });  // RACE: write 4
  keep(local);
}
