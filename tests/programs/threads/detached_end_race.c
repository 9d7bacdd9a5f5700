// RUN: %clang %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=test_stamp_chunks=16 %run_racy %t

// A detached thread has ended, and what is left of it has been looked for (with so few names of
// epochs that is done whenever a thread is created), before the thread comes that races with it.
#include <pthread.h>

#include "detached_end.h"

static int result;

static void* writer(void* unused) {
  result = 42;  // RACE: write 4
  detached_ends();
  return unused;
}

static void* reader(void* unused) {
  keep(result);  // RACE: read 4
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&result);
  pthread_create(&thread, 0, writer, 0);
  pthread_detach(thread);
  wait_for_detached_end();
  pthread_create(&thread, 0, reader, 0);
  pthread_join(thread, 0);
}
