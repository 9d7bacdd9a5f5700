// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Many concurrent readers, all joined before the next write; then the same again with other
// readers.
#include "script.h"
#include "spawn.h"

int shared;

int main() {
  for (int round = 0; round < 20; ++round) {
    shared = round;
    auto reader = [round] { require(shared == round); };
    run_threads(reader, reader, reader, reader, reader);
  }
  shared = -1;
  keep(shared);
}
