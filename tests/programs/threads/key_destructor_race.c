// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// Destructors of thread-specific data run in the ending thread: two of them conflict.
#include <pthread.h>

#include "script.h"

static pthread_key_t key;
static int destroyed;

static void destroy(void* value) {
  (void)value;
  ++destroyed;  // RACE: read 4, write 4
}

static void* worker(void* unused) {
  pthread_setspecific(key, &key);
  return unused;
}

int main(void) {
  pthread_t first, second;
  keep_object(&destroyed);
  pthread_key_create(&key, destroy);
  pthread_create(&first, 0, worker, 0);
  pthread_create(&second, 0, worker, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
}
