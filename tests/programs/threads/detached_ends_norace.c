// RUN: %clang %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=test_stamp_chunks=16 %run_clean %t

// Detached threads follow each other, in the places in the clocks that those before them had. Each
// has memory of its own, and a count under a lock.
#include <pthread.h>
#include <stdlib.h>

#include "detached_end.h"

enum { kThreads = 400 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* worker(void* unused) {
  long* own = malloc(sizeof(long));
  own[0] = 1;
  pthread_mutex_lock(&lock);
  count += (int)own[0];
  pthread_mutex_unlock(&lock);
  own[0] = 2;
  free(own);
  detached_ends();
  return unused;
}

int main(void) {
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_detach(thread);
    wait_for_detached_end();
  }
  pthread_mutex_lock(&lock);
  const int all = count;
  pthread_mutex_unlock(&lock);
  return all == kThreads ? 0 : 1;
}
