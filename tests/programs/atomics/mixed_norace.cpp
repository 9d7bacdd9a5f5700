// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Plain and atomic accesses to one variable, ordered by create and join; plain and atomic reads
// together.
#include "script.h"
#include "spawn.h"

int value;

int main() {
  value = 1;
  auto add = [] { __atomic_fetch_add(&value, 1, __ATOMIC_RELAXED); };
  run_threads(add, add, add);
  require(value == 4);
  run_threads([] { keep(value); }, [] { keep(__atomic_load_n(&value, __ATOMIC_RELAXED)); });
  value = 0;
  keep_object(&value);
}
