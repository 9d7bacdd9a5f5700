// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_unmarked %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without
// RUN: %run_racy %t.without

// A concurrent collector visits the objects while the program writes to them. That is its business;
// without untracked accesses it is a false race.
#include <bigfoot/lard.h>

#include "script.h"
#include "spawn.h"

struct Object {
  int field;
  int mark;
};
Object object;

void collector_visits() {
#ifndef WITHOUT
  bigfoot::lard::Untracked region(BF_LARD_ACCESSES);
#endif
  keep(object.field);  // RACE: read 4
  script_post(0);
}

int main() {
  run_threads([] { collector_visits(); },
              [] {
                script_wait(0);
                object.field = 1;  // RACE: write 4
              });
}
