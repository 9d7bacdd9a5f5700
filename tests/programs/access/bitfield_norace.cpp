// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A bit-field of width zero, or an ordinary member in between, starts a new memory location.
#include "script.h"
#include "spawn.h"

struct Flags {
  unsigned ready : 1;
  unsigned : 0;
  unsigned closed : 1;
  char separator;
  unsigned late : 3;
} flags;

int main() {
  keep_object(&flags);
  run_threads([] { flags.ready = 1; }, [] { flags.closed = 1; }, [] { flags.late = 5; });
  require(flags.ready == 1 && flags.closed == 1 && flags.late == 5);
}
