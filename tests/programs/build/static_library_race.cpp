// RUN: %clangxx -c %S/Inputs/counter.cpp -o %t.o
// RUN: rm -f %t.a
// RUN: %ar rcs %t.a %t.o
// RUN: %clangxx %s %t.a %support -o %t
// RUN: %run_racy --source %S/Inputs/counter.cpp %t

// The race is in an object of a static library, compiled on its own.
#include "Inputs/counter.h"
#include "script.h"
#include "spawn.h"

int main() {
  run_threads([] { counter_add(1); }, [] { counter_add(2); });
  keep(counter_get());
}
