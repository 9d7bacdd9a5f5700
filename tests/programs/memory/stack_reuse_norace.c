// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Threads that end and threads that start get the same stacks: the dead thread's locals are history
// even when nobody has joined it (it is detached).
#include <pthread.h>
#include <string.h>

#include "script.h"

static void* worker(void* unused) {
  char frame[20000];
  memset(frame, 1, sizeof frame);
  keep_object(frame);
  script_post(0);
  return unused;
}

int main(void) {
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (int i = 1; i <= 200; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &detached, worker, 0) != 0) return 1;
    script_wait_for(0, i);
  }
}
