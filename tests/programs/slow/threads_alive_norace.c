// RUN: %clang %s %support -o %t
// RUN: %run_clean --timeout 300 %t

// 500 threads alive at the same time, all of which take part.
#include <pthread.h>

#include "script.h"

enum { kThreads = 500 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int own[kThreads], counter;

static void* worker(void* argument) {
  int me = (int)(long)argument;
  script_post(0);
  script_wait_for(0, kThreads);
  for (int i = 0; i < 100; ++i) {
    ++own[me];
    pthread_mutex_lock(&mutex);
    ++counter;
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 << 10);
  for (long i = 0; i < kThreads; ++i)
    if (pthread_create(&threads[i], &small, worker, (void*)i) != 0) return 2;
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], 0);
  return counter == kThreads * 100 ? 0 : 1;
}
