// RUN: %clangxx -O2 -flto -fuse-ld=lld %s %S/Inputs/hand_over.cpp %support -o %t
// RUN: %run_clean %t

// A function of another file releases what the loop has written so far, in each round. A check that
// waits for the end of the loop comes after the last release, and takes the reader for a race.
#include "Inputs/hand_over.h"
#include "script.h"
#include "spawn.h"

static long cells[64];

static void write_all() {
  long sum = 0;
  for (long i = 0; i < 64; ++i) {
    cells[i] = i;
    sum += hand_over_locking(i);
  }
  keep(sum);
  script_post(0);
}

static void read_all() {
  script_wait(0);
  long sum = hand_over_locking(0);
  for (long c : cells) sum += c;
  keep(sum);
}

int main() {
  run_threads(write_all, read_all);
}
