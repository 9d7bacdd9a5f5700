// RUN: %clangxx -fPIC -shared %S/Inputs/counter.cpp -o %t.so
// RUN: %clangxx %s %support %t.so -o %t
// RUN: %run_racy --source %S/Inputs/counter.cpp %t

// The race is inside a shared library of the program's own.
#include "Inputs/counter.h"
#include "script.h"
#include "spawn.h"

int main() {
  run_threads([] { counter_add(1); }, [] { counter_add(2); });
  keep(counter_get());
}
