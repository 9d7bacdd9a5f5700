// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// TSAN: misses: the position of the first access has left its history, so the report is dropped

// The first of two racing threads goes on for a million calls with writes before the second comes.
#include "script.h"
#include "spawn.h"

int shared;
int work[1024];

__attribute__((noinline)) void step(int i) {
  work[i % 1024] = i;
  keep_object(work);
}

int main() {
  run_threads(
      [] {
        shared = 1;  // RACE: write 4
        for (int i = 0; i < 1000000; ++i) step(i);
        script_post(0);
      },
      [] {
        script_wait(0);
        keep(shared);  // RACE: read 4
      });
}
