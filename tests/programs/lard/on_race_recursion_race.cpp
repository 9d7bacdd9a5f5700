// REQUIRES: bigfoot
// RUN: %clangxx --check-first %s %support -o %t
// RUN: %not %t > %t.out 2>&1
// RUN: %filecheck %s --input-file %t.out

// A handler that looks at the memory the race is about races itself. That is reported, and not told to
// the handler again; and it is told of the next race, although it left the first one by longjmp.
#include <bigfoot/lard.h>
#include <setjmp.h>
#include <stdio.h>

#include "script.h"
#include "spawn.h"

namespace {
int shared[2];
jmp_buf recovery;

int handler(const bf_lard_race*, void*) {
  // CHECK: WARNING: BigFoot: data race
  // CHECK: SUMMARY: BigFoot: data race {{.*}}on_race_recursion_race.cpp:[[# @LINE + 1]]:
  fprintf(stderr, "stopped: %d\n", shared[0]);
  // CHECK: stopped: 1
  // CHECK: stopped: 1
  longjmp(recovery, 1);
}

// The second race is found deeper in the stack than the first.
__attribute__((noinline)) void write_deeper(int depth, int value) {
  char room[256];
  keep_object(room);
  if (depth == 0)
    shared[1] = value;
  else
    write_deeper(depth - 1, value);
  keep_object(room);
}
}  // namespace

int main() {
  require(bf_lard_on_race(handler, nullptr, BF_LARD_STOP) == BF_LARD_OK);
  run_threads(
      [] {
        shared[0] = shared[1] = 1;
        script_post(0);
      },
      [] {
        script_wait(0);
        if (setjmp(recovery) == 0) shared[0] = 2;
        if (setjmp(recovery) == 0) write_deeper(8, 2);
      });
  // CHECK: as it was: 1 1
  fprintf(stderr, "as it was: %d %d\n", shared[0], shared[1]);
}
