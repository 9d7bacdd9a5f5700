// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A trylock that fails orders nothing: the thread goes on without the lock.
#include <pthread.h>

#include "script.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void* owner(void* unused) {
  pthread_mutex_lock(&mutex);
  data = 1;  // RACE: write 4
  script_post(0);
  script_wait(1);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&data);
  pthread_create(&thread, 0, owner, 0);
  script_wait(0);
  if (pthread_mutex_trylock(&mutex) == 0) return 1;
  keep(data);  // RACE: read 4
  script_post(1);
  pthread_join(thread, 0);
}
