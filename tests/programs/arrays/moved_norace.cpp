// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %run_clean %t

// As moved_race.cpp, with the writes in order, and with writes to where history has gone from.
#include <bigfoot/lard.h>
#include <string.h>

#include "script.h"
#include "spawn.h"

constexpr int kSize = 2000, kPart = 800;

void collect(long* to, long* from) {
  bigfoot::lard::Untracked region;
  memmove(to, from, kPart * sizeof(long));
  bf_lard_move(to, from, kPart * sizeof(long));
}

int main() {
  long *from = new long[kSize](), *to = new long[kSize]();
  auto first = [=] {
    for (int i = 100; i < 100 + kPart; ++i) from[i] = i;
    collect(to + 37, from + 100);
    collect(to + 137, to + 37);  // onto a part of itself
    bf_lard_copy(from + 1100, to + 137, kPart * sizeof(long));
    script_post(0);
  };
  auto second = [=] {
    script_wait(0);
    from[100] = 1;  // another object by now
    to[37] = 1;
    to[136] = 1;
    to[137 + kPart] = 1;
    from[1099] = 1;
  };
  run_threads(first, second);
  auto all = [=] {
    for (int i = 0; i < kSize; ++i) from[i] = to[i] = i;
  };
  run_threads(all);
  keep_object(from);
  keep_object(to);
  delete[] from;
  delete[] to;
}
