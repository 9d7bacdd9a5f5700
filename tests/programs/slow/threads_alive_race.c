// RUN: %clang %s %support -o %t
// RUN: %run_racy --timeout 300 %t
// TSAN: may miss: it has room for the history of 256 threads

// 500 threads alive at the same time; the first and the last of them race.
#include <pthread.h>

#include "script.h"

enum { kThreads = 500 };
static int own[kThreads], shared;

static void* worker(void* argument) {
  int me = (int)(long)argument;
  script_post(0);
  script_wait_for(0, kThreads);
  ++own[me];
  if (me == 0) {
    shared = 1;  // RACE: write 4
    script_post(1);
  }
  if (me == kThreads - 1) {
    script_wait(1);
    keep(shared);  // RACE: read 4
  }
  return 0;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_attr_t small;
  keep_object(&shared);
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 << 10);
  for (long i = 0; i < kThreads; ++i)
    if (pthread_create(&threads[i], &small, worker, (void*)i) != 0) return 2;
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], 0);
}
