// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// The read comes after the free of another thread, and nothing orders them.
#include <pthread.h>
#include <stdlib.h>

#include "script.h"

static int* block;

static void* releaser(void* unused) {
  free(block);  // RACE: write
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  block = malloc(100 * sizeof *block);
  block[50] = 1;
  keep_object(block);
  pthread_create(&thread, 0, releaser, 0);
  script_wait(0);
  keep(block[50]);  // RACE: read 4
  pthread_join(thread, 0);
}
