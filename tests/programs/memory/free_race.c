// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// free counts as a write to the whole block: here it is not ordered after another thread's read.
#include <pthread.h>
#include <stdlib.h>

#include "script.h"

static char* block;

static void* reader(void* unused) {
  keep(block[90]);  // RACE: read 1
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  block = calloc(100, 1);
  pthread_create(&thread, 0, reader, 0);
  script_wait(0);
  free(block);  // RACE: write
  pthread_join(thread, 0);
}
