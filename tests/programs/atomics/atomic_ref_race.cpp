// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// One thread goes through std::atomic_ref, the other forgets to.
#include <atomic>

#include "script.h"
#include "spawn.h"

long total;

int main() {
  run_threads([] { std::atomic_ref<long>(total).fetch_add(1); },  // RACE: atomic write 8
              [] { total = 0; });                                 // RACE: write 8
  keep(total);
}
