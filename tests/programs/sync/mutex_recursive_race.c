// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// After the last unlock of a recursive mutex nothing is protected any more.
#include <pthread.h>

#include "script.h"

static pthread_mutex_t mutex;
static int counter;

static void* worker(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  counter = 1;
  pthread_mutex_unlock(&mutex);
  counter = 2;  // RACE: write 4
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutexattr_t attributes;
  keep_object(&counter);
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
  pthread_create(&thread, 0, worker, 0);
  script_wait(0);
  pthread_mutex_lock(&mutex);
  counter = 3;  // RACE: write 4
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
}
