// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Two reads never conflict, and neither do accesses of different threads to different variables,
// nor accesses ordered by thread creation and join.
#include "script.h"
#include "spawn.h"

int shared = 1, left, right;

int main() {
  shared = 2;
  run_threads(
      [] {
        keep(shared);
        left = 1;
      },
      [] {
        keep(shared);
        right = 1;
      });
  shared = 3;
  require(left + right == 2 && shared == 3);
}
