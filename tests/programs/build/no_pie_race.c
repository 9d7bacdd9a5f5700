// RUN: %clang -fno-pie -no-pie %s %support -o %t
// RUN: %run_racy %t

// A program at fixed addresses.
#include <pthread.h>

#include "script.h"

int shared;

static void* writer(void* unused) {
  shared = 1;  // RACE: write 4
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&shared);
  pthread_create(&thread, 0, writer, 0);
  shared = 2;  // RACE: write 4
  pthread_join(thread, 0);
}
