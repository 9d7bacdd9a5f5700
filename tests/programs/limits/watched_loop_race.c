// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A loop that ends after finitely many iterations, only not before the program does: what was accessed before
// it must not wait for its end to be checked.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "script.h"

long shared;
static atomic_long progress;

static void* run(void* p) {
  shared = 1;  // RACE: write 8
  for (long i = 0; i < 1000000000000; ++i) atomic_store_explicit(&progress, i, memory_order_relaxed);
  return p;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_detach(thread);
  while (atomic_load_explicit(&progress, memory_order_relaxed) < 5000) {
  }
  shared = 2;  // RACE: write 8
  exit(0);
}
