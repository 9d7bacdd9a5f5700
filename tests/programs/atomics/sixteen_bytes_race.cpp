// RUN: %clangxx -mcx16 %s %support -o %t
// RUN: %run_racy %t
// TSAN: misses: of a 16-byte atomic only the lower half is checked

// A 16-byte atomic exchange against a plain write to its upper half.
#include "script.h"
#include "spawn.h"

alignas(16) unsigned __int128 tagged;

void exchange_all() {
  unsigned __int128 old =
      __atomic_exchange_n(&tagged, 1, __ATOMIC_RELAXED);  // RACE: atomic write 16
  keep(static_cast<long>(old));
}

int main() {
  run_threads([] { exchange_all(); },
              [] { reinterpret_cast<long*>(&tagged)[1] = 1; });  // RACE: write 8
}
