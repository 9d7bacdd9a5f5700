// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Two bit-fields in a row are one memory location: writing one reads and rewrites the other.
#include "script.h"
#include "spawn.h"

struct Flags {
  unsigned ready : 1;
  unsigned closed : 1;
} flags;

int main() {
  keep_object(&flags);
  run_threads([] { flags.ready = 1; },    // RACE: read, write
              [] { flags.closed = 1; });  // RACE: read, write
}
