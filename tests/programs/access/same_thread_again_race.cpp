// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A thread that has touched a variable often before still races at the first conflicting access of
// another: the fast path for repeated accesses must not forget the state.
#include "script.h"
#include "spawn.h"

int hot;

__attribute__((noinline)) void touch(int times) {
  for (int i = 0; i < times; ++i) {
    hot = i;  // RACE: write 4
    keep_object(&hot);
  }
}

int main() {
  run_threads(
      [] {
        touch(1000);
        script_post(0);
      },
      [] {
        script_wait(0);
        keep(hot);  // RACE: read 4
      });
}
