// RUN: %clangxx -mcx16 %s %support -o %t
// RUN: %run_clean %t

// A 16-byte atomic (pointer and version) publishes plain data.
#include "script.h"
#include "spawn.h"

alignas(16) unsigned __int128 tagged;
int data;

int main() {
  run_threads(
      [] {
        data = 1;
        unsigned __int128 expected = 0;
        require(__atomic_compare_exchange_n(&tagged, &expected, (unsigned __int128)1 << 64, false,
                                            __ATOMIC_RELEASE, __ATOMIC_RELAXED));
      },
      [] {
        while (__atomic_load_n(&tagged, __ATOMIC_ACQUIRE) == 0) sched_yield();
        require(data == 1);
      });
}
