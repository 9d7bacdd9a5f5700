// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without
// RUN: %run_unmarked %t.without
// RUN: %clangxx -DCOPY %s %support -o %t.copy
// RUN: %run_racy %t.copy

// The collector moves an object between two unordered writes to it. Without moving its history the
// race is missed: the writes are to different addresses.
#include <bigfoot/lard.h>
#include <string.h>

#include "script.h"
#include "spawn.h"

struct Object {
  long header;
  int value;
};
Object from_space[1], to_space[1];

void collect() {
  bigfoot::lard::Untracked region;
  memcpy(to_space, from_space, sizeof from_space);
#if defined(COPY)
  bf_lard_copy(to_space, from_space, sizeof from_space);
  bf_lard_clear(from_space, sizeof from_space);
#elif !defined(WITHOUT)
  bf_lard_move(to_space, from_space, sizeof from_space);
#endif
}

int main() {
  run_threads(
      [] {
        from_space[0].value = 1;  // RACE: write 4
        collect();
        script_post(0);
      },
      [] {
        script_wait(0);
        to_space[0].value = 2;  // RACE: write 4
#ifndef WITHOUT
        from_space[0].value = 3;  // another object by now
        keep_object(&from_space);
#endif
      });
}
