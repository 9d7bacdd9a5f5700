// RUN: %clangxx -c %S/Inputs/counter.cpp -o %t.counter.o
// RUN: %clangxx -c %s -o %t.main.o
// RUN: %clangxx %t.main.o %t.counter.o %support -o %t
// RUN: %run_clean %t

// Compiled and linked in separate steps.
#include "Inputs/counter.h"
#include "script.h"
#include "spawn.h"

int main() {
  run_threads([] { counter_add(1); });
  run_threads([] { counter_add(2); });
  require(counter_get() == 3);
}
