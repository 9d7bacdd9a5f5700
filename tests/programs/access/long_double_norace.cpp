// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// The 6 bytes of padding behind the 10 of a `long double` are not part of the access: another
// object may live there.
#include <cstring>

#include "script.h"
#include "spawn.h"

union Cell {
  long double value;
  unsigned char bytes[16];
} cell;

int main() {
  run_threads([] { cell.value = 1.5L; }, [] { cell.bytes[10] = 7; });
  require(cell.bytes[10] == 7);
}
