// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// REQUIRES: masked-builtins

// TSAN: misses: masked, gather and scatter operations are not instrumented

// Masked vector store, masked load, scatter and gather: enabled lanes are accesses.
#include "script.h"
#include "spawn.h"

typedef int Int8 __attribute__((ext_vector_type(8)));
typedef bool Mask8 __attribute__((ext_vector_type(8)));

alignas(32) int stored[8], loaded[8], scattered[64], gathered[64];

int main() {
  run_threads(
      [] {
        Mask8 odd = {0, 1, 0, 1, 0, 1, 0, 1};
        Int8 indices = {0, 8, 16, 24, 32, 40, 48, 56};
        Int8 ones = Int8{} + 1;
        keep_object(&odd);
        keep_object(&indices);
        __builtin_masked_store(odd, ones, stored);                // RACE: store write
        Int8 some = __builtin_masked_load(odd, loaded);           // RACE: load read
        __builtin_masked_scatter(odd, indices, ones, scattered);  // RACE: scatter write
        some += __builtin_masked_gather(odd, indices, gathered);  // RACE: gather read
        keep_object(&some);
      },
      [] {
        keep(stored[3]);      // RACE: store read 4
        loaded[3] = 1;        // RACE: load write 4
        keep(scattered[24]);  // RACE: scatter read 4
        gathered[24] = 1;     // RACE: gather write 4
      });
}
