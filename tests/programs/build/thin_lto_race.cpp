// RUN: %clangxx -O2 -flto=thin -c %S/Inputs/counter.cpp -o %t.o
// RUN: %clangxx -O2 -flto=thin -fuse-ld=lld %s %t.o %support -o %t
// RUN: %run_racy --source %S/Inputs/counter.cpp %t

// ThinLTO with separate compilation.
#include "Inputs/counter.h"
#include "script.h"
#include "spawn.h"

int main() {
  run_threads([] { counter_add(1); }, [] { counter_add(2); });
  keep(counter_get());
}
