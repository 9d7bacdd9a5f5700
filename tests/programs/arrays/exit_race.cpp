// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_racy %t

// The process ends while both threads are still in the middle of the code that races: neither has
// synchronised since. There is no twin: whatever ordered them would end that code.
#include <unistd.h>

#include "script.h"
#include "spawn.h"

constexpr int kSize = 1000;

__attribute__((noinline)) void fill(long* cells) {
  for (int i = 0; i < kSize; ++i) cells[i] = i;  // RACE: write
}
__attribute__((noinline)) void read(const long* cells) {
  long sum = 0;
  for (int i = 0; i < kSize; ++i) sum += cells[i];  // RACE: read
  keep(sum);
}

int main() {
  static long* cells = new long[kSize]();
  auto body = [] {
    fill(cells);
    script_post(0);
    script_wait(1);  // for ever
  };
  start_thread(body);
  script_wait(0);
  read(cells);
  _exit(0);
}
