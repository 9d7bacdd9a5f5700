// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// A stack the program supplies itself, used by one thread after another.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"

enum { kStack = 1 << 18 };

static void* worker(void* unused) {
  char frame[2000];
  memset(frame, 1, sizeof frame);
  keep_object(frame);
  return unused;
}

int main(void) {
  pthread_attr_t attributes;
  void* stack = aligned_alloc(4096, kStack);
  pthread_attr_init(&attributes);
  if (pthread_attr_setstack(&attributes, stack, kStack) != 0) return 2;
  for (int i = 0; i < 5; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, worker, 0) != 0) return 3;
    pthread_join(thread, 0);
  }
  free(stack);
}
