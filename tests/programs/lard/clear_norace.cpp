// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_unmarked %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without
// RUN: %run_racy %t.without

// An arena hands memory that one thread has given back to another. They are two objects; the
// hand-over orders nothing for the program. Without clearing, the new object seems to race with the
// old one.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

struct Object {
  int value;
};
Object arena[1];

void give_back(Object* o) {
#ifndef WITHOUT
  bf_lard_clear(o, sizeof *o);
#endif
  keep_object(o);
}

int main() {
  run_threads(
      [] {
        arena[0].value = 1;  // RACE: write 4
        give_back(&arena[0]);
        script_post(0);
      },
      [] {
        script_wait(0);
        arena[0].value = 2;  // RACE: write 4
      });
}
