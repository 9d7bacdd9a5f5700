// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// REQUIRES: masked-builtins

// Lanes that the mask disables are not accessed: another thread may use them. The memory is reached
// by pointers the optimiser knows nothing about; of a global it would load all lanes and select.
#include "script.h"
#include "spawn.h"

typedef int Int8 __attribute__((ext_vector_type(8)));
typedef bool Mask8 __attribute__((ext_vector_type(8)));

__attribute__((noinline)) void update(int* block, int* table, Mask8 mask, int value) {
  Int8 indices = {0, 8, 16, 24, 32, 40, 48, 56};
  keep_object(&mask);
  keep_object(&indices);
  __builtin_masked_store(mask, Int8{} + value, block);
  __builtin_masked_scatter(mask, indices, Int8{} + value, table);
  Int8 back = __builtin_masked_load(mask, block) + __builtin_masked_gather(mask, indices, table);
  keep_object(&back);
}

alignas(32) int storage[8], spread[64];
int *block = storage, *table = spread;

int main() {
  keep_object(&block);
  keep_object(&table);
  const Mask8 odd = {0, 1, 0, 1, 0, 1, 0, 1}, even = {1, 0, 1, 0, 1, 0, 1, 0};
  run_threads([=] { update(block, table, odd, 1); }, [=] { update(block, table, even, 2); });
  require(block[0] == 2 && block[1] == 1 && table[48] == 2 && table[56] == 1);
}
