// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// pthread_cond_wait gives the mutex up: what the waiter did under the lock before is ordered, what
// a third thread does without the lock is not.
#include <pthread.h>

#include "script.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, data;

static void* waiter(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  data = 1;  // RACE: write 4
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&data);
  pthread_create(&thread, 0, waiter, 0);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  data = 2;  // RACE: write 4
  pthread_join(thread, 0);
}
