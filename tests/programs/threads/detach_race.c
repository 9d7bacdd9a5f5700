// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A detached thread can not be joined; here nothing else orders its write before the parent's read.
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
  pthread_detach(thread);
  script_wait(0);
  keep(result);  // RACE: read 4
}
