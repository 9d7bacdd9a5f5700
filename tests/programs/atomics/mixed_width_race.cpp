// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A plain one-byte write into the middle of an atomic word.
#include "script.h"
#include "spawn.h"

alignas(8) long word;

int main() {
  run_threads([] { __atomic_store_n(&word, 1, __ATOMIC_RELEASE); },  // RACE: atomic write 8
              [] { reinterpret_cast<char*>(&word)[5] = 1; });        // RACE: write 1
}
