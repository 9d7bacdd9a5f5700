// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// The parent reads the result before it joins. The thread has long finished: that orders nothing.
#include <pthread.h>

#include "script.h"

static int result;

static void* worker(void* unused) {
  result = 42;  // RACE: write 4
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&result);
  pthread_create(&thread, 0, worker, 0);
  script_wait(0);
  keep(result);  // RACE: read 4
  pthread_join(thread, 0);
}
