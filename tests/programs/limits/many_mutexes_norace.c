// RUN: %clang %s %support -o %t
// RUN: %run_clean %t
// TSAN: crashes: no more than 128 mutexes can be held

// One thread holds 200 mutexes at once.
#include <pthread.h>

enum { kMutexes = 200 };
static pthread_mutex_t mutexes[kMutexes];
static int counters[kMutexes];

static void* worker(void* unused) {
  for (int i = 0; i < kMutexes; ++i) {
    pthread_mutex_lock(&mutexes[i]);
    ++counters[i];
  }
  for (int i = 0; i < kMutexes; ++i) pthread_mutex_unlock(&mutexes[i]);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  int failed = 0;
  for (int i = 0; i < kMutexes; ++i) pthread_mutex_init(&mutexes[i], 0);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, worker, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  for (int i = 0; i < kMutexes; ++i) failed |= counters[i] != 3;
  return failed;
}
