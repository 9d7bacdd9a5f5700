// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// count_down is ordered before the wait it lets through. The latch lives on a stack that is used
// again.
#include <latch>
#include <thread>

#include "script.h"

void round_trip() {
  std::latch ready(3);
  int parts[3];
  std::jthread threads[3];
  for (int i = 0; i < 3; ++i)
    threads[i] = std::jthread([&ready, &parts, i] {
      parts[i] = i;
      ready.count_down();
    });
  ready.wait();
  keep(parts[0] + parts[1] + parts[2]);
}

int main() {
  for (int round = 0; round < 10; ++round) round_trip();
}
