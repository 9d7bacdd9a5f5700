// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Single reads with gaps, as they become one wide read and a shuffle on a processor that has these.
// Another thread writes what lies between.
#include <pthread.h>

#include "script.h"

_Alignas(64) float cells[64];
float sums[64];

__attribute__((noinline, target("arch=x86-64-v3"))) static void even(void) {
  sums[0] = cells[0] * 2 + 1;
  sums[1] = cells[2] * 2 + 1;
  sums[2] = cells[4] * 2 + 1;
  sums[3] = cells[6] * 2 + 1;
  sums[4] = cells[8] * 2 + 1;
  sums[5] = cells[10] * 2 + 1;
  sums[6] = cells[12] * 2 + 1;
  sums[7] = cells[14] * 2 + 1;
}

static void* writer(void* unused) {
  for (int i = 1; i < 64; i += 2) cells[i] = 2;
  return unused;
}

int main(void) {
  if (!__builtin_cpu_supports("x86-64-v3")) return 0;
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  even();
  pthread_join(thread, 0);
  return sums[7] != 1;
}
