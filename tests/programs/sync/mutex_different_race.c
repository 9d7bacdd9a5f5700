// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// Both threads lock, but not the same mutex.
#include <pthread.h>

#include "script.h"

static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER, yours = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* worker(void* unused) {
  pthread_mutex_lock(&yours);
  counter = 1;  // RACE: write 4
  pthread_mutex_unlock(&yours);
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&counter);
  pthread_create(&thread, 0, worker, 0);
  pthread_mutex_lock(&mine);
  counter = 2;  // RACE: write 4
  pthread_mutex_unlock(&mine);
  pthread_join(thread, 0);
}
