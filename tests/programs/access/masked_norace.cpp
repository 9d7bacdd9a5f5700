// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Lanes that the mask disables are not accessed: another thread may use them.
#include "script.h"
#include "spawn.h"

typedef int Int8 __attribute__((ext_vector_type(8)));
typedef bool Mask8 __attribute__((ext_vector_type(8)));

alignas(32) int block[8], table[64];

void update(Mask8 mask, int value) {
  Int8 indices = {0, 8, 16, 24, 32, 40, 48, 56};
  keep_object(&mask);
  keep_object(&indices);
  __builtin_masked_store(mask, Int8{} + value, block);
  __builtin_masked_scatter(mask, indices, Int8{} + value, table);
  Int8 back = __builtin_masked_load(mask, block) + __builtin_masked_gather(mask, indices, table);
  keep(back[0]);
}

int main() {
  run_threads(
      [] {
        update(Mask8{0, 1, 0, 1, 0, 1, 0, 1}, 1);
      },
      [] {
        update(Mask8{1, 0, 1, 0, 1, 0, 1, 0}, 2);
      });
  require(block[0] == 2 && block[1] == 1 && table[48] == 2 && table[56] == 1);
}
