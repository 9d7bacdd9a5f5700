// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// One byte in the middle of 64 MB, of which almost nothing is touched: shadow memory is made on
// demand.
#include <pthread.h>
#include <stdlib.h>

#include "script.h"

static char* block;

static void* writer(void* unused) {
  block[40 << 20] = 1;  // RACE: write 1
  return unused;
}

int main(void) {
  pthread_t thread;
  block = malloc(64 << 20);
  pthread_create(&thread, 0, writer, 0);
  keep(block[40 << 20]);  // RACE: read 1
  pthread_join(thread, 0);
  free(block);
}
