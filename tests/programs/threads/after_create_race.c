// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// What the parent does after pthread_create is not ordered with the thread.
#include <pthread.h>

#include "script.h"

static int argument;

static void* worker(void* unused) {
  keep(argument);  // RACE: read 4
  return unused;
}

int main(void) {
  pthread_t thread;
  argument = 1;
  pthread_create(&thread, 0, worker, 0);
  argument = 2;  // RACE: write 4
  pthread_join(thread, 0);
}
