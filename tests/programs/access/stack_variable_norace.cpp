// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Locals handed to one thread each and read back after the join; frames reused by the next round.
#include "script.h"
#include "spawn.h"

__attribute__((noinline)) int round_trip(int seed) {
  int values[2] = {seed, seed};
  run_threads([&] { values[0] += 1; }, [&] { values[1] += 2; });
  return values[0] + values[1];
}

int main() {
  for (int i = 0; i < 20; ++i) require(round_trip(i) == 2 * i + 3);
}
