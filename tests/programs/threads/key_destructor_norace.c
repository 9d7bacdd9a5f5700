// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Destructors of thread-specific data run before the join returns.
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static int destroyed;

static void destroy(void* value) {
  destroyed += *(int*)value;
  free(value);
}

static void* worker(void* unused) {
  int* value = malloc(sizeof *value);
  *value = 1;
  pthread_setspecific(key, value);
  return unused;
}

int main(void) {
  pthread_key_create(&key, destroy);
  for (int i = 0; i < 10; ++i) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
  }
  pthread_key_delete(key);
  return destroyed == 10 ? 0 : 1;
}
