// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Atomics do not race with each other: any order, any width, overlapping included.
#include <cstdint>

#include "script.h"
#include "spawn.h"

alignas(8) uint64_t word;

int main() {
  auto* half = reinterpret_cast<uint32_t*>(&word) + 1;
  auto hammer = [=] {
    for (int i = 0; i < 1000; ++i) {
      __atomic_store_n(&word, i, __ATOMIC_RELAXED);
      __atomic_fetch_add(half, 1, __ATOMIC_RELAXED);
      keep(__atomic_load_n(&word, __ATOMIC_RELAXED));
      keep(__atomic_exchange_n(half, 7, __ATOMIC_ACQ_REL));
      keep(__atomic_load_n(reinterpret_cast<char*>(&word) + 3, __ATOMIC_SEQ_CST));
    }
  };
  run_threads(hammer, hammer, hammer);
}
