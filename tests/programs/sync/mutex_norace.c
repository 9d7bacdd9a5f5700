// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// A mutex protects a counter.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* worker(void* unused) {
  for (int i = 0; i < 200; ++i) {
    pthread_mutex_lock(&mutex);
    ++counter;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, worker, 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  return counter == 800 ? 0 : 1;
}
