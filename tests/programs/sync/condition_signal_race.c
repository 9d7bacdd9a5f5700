// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A signal is no synchronisation of its own: the payload is written after the unlock, before the
// signal.
#include <pthread.h>

#include "script.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, payload;

static void* producer(void* unused) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_mutex_unlock(&mutex);
  payload = 42;  // RACE: write 4
  pthread_cond_signal(&changed);
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&payload);
  pthread_create(&thread, 0, producer, 0);
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  script_wait(0);
  keep(payload);  // RACE: read 4
  pthread_join(thread, 0);
}
