// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_racy %t

// A thread is still busy with an array when another one frees it; the memory has a new owner
// before the first thread synchronises again.
#include "script.h"
#include "spawn.h"

constexpr int kSize = 1000;

__attribute__((noinline)) void read(const long* cells) {
  long sum = 0;
  for (int i = 0; i < kSize; ++i) sum += cells[i];  // RACE: read
  keep(sum);
}

int main() {
  long* cells = new long[kSize]();
  run_threads(
      [=] {
        read(cells);
        script_post(0);
        script_wait(1);
      },
      [=] {
        script_wait(0);
        delete[] cells;  // RACE: write
        long* others = new long[kSize]();
        keep_object(others);
        script_post(1);
        delete[] others;
      });
}
