// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Ten thousand variables raced on by the same pair of lines: one race to the user, reported once or
// a few times, and the program still ends in good time.
#include "script.h"
#include "spawn.h"

int cells[10000];

int main() {
  run_threads(
      [] {
        for (int& cell : cells) {
          cell = 1;  // RACE: write 4
          keep_object(&cell);
        }
      },
      [] {
        for (int& cell : cells) {
          cell = 2;  // RACE: write 4
          keep_object(&cell);
        }
      });
}
