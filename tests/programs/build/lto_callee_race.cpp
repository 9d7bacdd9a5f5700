// RUN: %clangxx -O2 -flto -fuse-ld=lld %s %S/Inputs/hand_over.cpp %support -o %t
// RUN: %run_racy %t

// The function of the other file orders nothing: one check for the loop, behind it, which names the
// access in the loop.
#include "Inputs/hand_over.h"
#include "script.h"
#include "spawn.h"

static long cells[64];

static void write_all() {
  long sum = 0;
  for (long i = 0; i < 64; ++i) {
    cells[i] = i;  // RACE: write 8
    sum += hand_over_counting(i);
  }
  keep(sum);
  script_post(0);
}

static void read_all() {
  script_wait(0);
  long sum = hand_over_counting(0);
  for (long c : cells) sum += c;  // RACE: read
  keep(sum);
}

int main() {
  run_threads(write_all, read_all);
}
