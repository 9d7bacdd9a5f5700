// RUN: %clangxx -O2 -flto -fuse-ld=lld %s %S/Inputs/counter.cpp %support -o %t
// RUN: %run_clean %t

// Link-time optimisation over two files.
#include "Inputs/counter.h"
#include "script.h"
#include "spawn.h"

int main() {
  run_threads([] { counter_add(1); });
  run_threads([] { counter_add(2); });
  require(counter_get() == 3);
}
