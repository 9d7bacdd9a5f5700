// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// `volatile` orders nothing between threads: the flag and the data behind it are both raced on.
#include "script.h"
#include "spawn.h"

alignas(64) volatile int ready;
alignas(64) int data;

int main() {
  run_threads(
      [] {
        data = 42;  // RACE: data write 4
        ready = 1;  // RACE: flag write 4
        script_post(0);
      },
      [] {
        script_wait(0);
        if (ready)     // RACE: flag read 4
          keep(data);  // RACE: data read 4
      });
}
