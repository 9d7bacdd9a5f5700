// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Counted down too early.
#include <latch>
#include <thread>

#include "script.h"

int main() {
  std::latch ready(1);
  int part = 0;
  std::jthread thread([&] {
    ready.count_down();
    part = 1;  // RACE: write 4
  });
  ready.wait();
  keep(part);  // RACE: read 4
}
