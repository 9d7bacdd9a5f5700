// RUN: %clang %s %support -o %t
// RUN: %run_racy %t
// TSAN: hangs: its background thread keeps the process alive once main is gone

// main leaves by pthread_exit; the process lives on, and so does the detector.
#include <pthread.h>

#include "script.h"

static int shared;

static void* first(void* unused) {
  shared = 1;  // RACE: write 4
  return unused;
}

static void* second(void* unused) {
  shared = 2;  // RACE: write 4
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&shared);
  pthread_create(&thread, 0, first, 0);
  pthread_detach(thread);
  pthread_create(&thread, 0, second, 0);
  pthread_detach(thread);
  pthread_exit(0);
}
