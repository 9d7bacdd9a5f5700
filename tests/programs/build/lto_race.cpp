// RUN: %clangxx -O2 -flto -fuse-ld=lld %s %S/Inputs/counter.cpp %support -o %t
// RUN: %run_racy --source %S/Inputs/counter.cpp %t

// Link-time optimisation over two files: the racing access is inlined across them.
#include "Inputs/counter.h"
#include "script.h"
#include "spawn.h"

int main() {
  run_threads([] { counter_add(1); }, [] { counter_add(2); });
  keep(counter_get());
}
