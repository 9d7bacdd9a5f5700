// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// One thread uses the variable atomically, the other plainly: a conflict, whichever of them writes.
#include "script.h"
#include "spawn.h"

alignas(64) int stored;
alignas(64) int loaded;
alignas(64) int counted;

int main() {
  run_threads(
      [] {
        __atomic_store_n(&stored, 1, __ATOMIC_SEQ_CST);     // RACE: store atomic write 4
        keep(__atomic_load_n(&loaded, __ATOMIC_SEQ_CST));   // RACE: load atomic read 4
        __atomic_fetch_add(&counted, 1, __ATOMIC_SEQ_CST);  // RACE: rmw atomic write 4
      },
      [] {
        keep(stored);   // RACE: store read 4
        loaded = 1;     // RACE: load write 4
        keep(counted);  // RACE: rmw read 4
      });
}
