// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Structures copied from a shared, never written one, into neighbours in one array.
#include "script.h"
#include "spawn.h"

struct Config {
  int width = 640, height = 480;
  double scale = 1;
  char name[37] = "default";
};

const Config kDefault;
Config slots[4];

int main() {
  run_threads([] { slots[0] = kDefault; }, [] { slots[1] = kDefault; }, [] { slots[2] = kDefault; },
              [] { slots[3] = slots[3]; });
  require(slots[2].height == 480 && slots[1].name[0] == 'd');
  keep_object(slots);
}
