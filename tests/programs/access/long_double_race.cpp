// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// TSAN: misses: the 10-byte store of an x87 value is not instrumented

// `long double` is stored as 10 bytes of its 16.
#include "script.h"
#include "spawn.h"

long double value;

int main() {
  run_threads([] { value = 1.5L; },                     // RACE: write 10
              [] { keep(static_cast<long>(value)); });  // RACE: read 10
}
