// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A mapping that has been moved is watched at its new place.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

#include "script.h"

static int* table;

static void* writer(void* unused) {
  table[5000] = 1;  // RACE: write 4
  return unused;
}

int main(void) {
  pthread_t thread;
  table = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  table[0] = 1;
  table = mremap(table, 4096, 1 << 20, MREMAP_MAYMOVE);
  if (table == MAP_FAILED) return 2;
  pthread_create(&thread, 0, writer, 0);
  keep(table[5000]);  // RACE: read 4
  pthread_join(thread, 0);
}
