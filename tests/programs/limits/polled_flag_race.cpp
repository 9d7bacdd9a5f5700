// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// TSAN: may miss: the polling reads evict the history of the neighbour

// A racy int shares its 8-byte word with an atomic flag that several threads poll between the two
// accesses.
#include <atomic>

#include "script.h"
#include "spawn.h"

struct alignas(8) {
  int value;
  std::atomic<int> flag;
} pair;

void poll() {
  script_wait(0);
  for (int i = 0; i < 1000; ++i) keep(pair.flag.load(std::memory_order_relaxed));
  script_post(1);
}

int main() {
  keep_object(&pair);
  run_threads(
      [] {
        pair.value = 1;  // RACE: write 4
        script_post(0);
      },
      poll, poll, poll, poll, poll,
      [] {
        script_wait_for(1, 5);
        keep(pair.value);  // RACE: read 4
      });
}
