// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A whole structure is assigned while another thread writes one of its fields.
#include "script.h"
#include "spawn.h"

struct Config {
  int width, height;
  double scale;
  char name[40];
} current, next;

int main() {
  run_threads([] { current = next; },         // RACE: write
              [] { current.height = 480; });  // RACE: write 4
  keep_object(&current);
}
