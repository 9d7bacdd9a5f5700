// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The race lies behind a call that was left by an exception: the reported stack must have lost that
// call.
#include "script.h"
#include "spawn.h"

int shared;

__attribute__((noinline)) void fail(int depth) {
  if (depth == 0) throw 1;
  fail(depth - 1);
  keep(depth);
}

__attribute__((noinline)) void careful() {
  try {
    fail(5);
  } catch (int) {
    shared = 1;  // RACE: write 4
  }
}

int main() {
  run_threads(careful, [] { shared = 2; });  // RACE: write 4
  keep(shared);
}
