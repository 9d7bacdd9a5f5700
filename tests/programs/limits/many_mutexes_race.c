// RUN: %clang %s %support -o %t
// RUN: %run_racy %t
// TSAN: crashes: no more than 128 mutexes can be held

// A race between two threads of which each holds 200 mutexes, none of them common.
#include <pthread.h>

#include "script.h"

enum { kMutexes = 200 };
static pthread_mutex_t mutexes[2][kMutexes];
static int shared;

static void* worker(void* set) {
  pthread_mutex_t* mine = set;
  for (int i = 0; i < kMutexes; ++i) pthread_mutex_lock(&mine[i]);
  shared = 1;  // RACE: write 4
  for (int i = 0; i < kMutexes; ++i) pthread_mutex_unlock(&mine[i]);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  keep_object(&shared);
  for (int i = 0; i < 2 * kMutexes; ++i) pthread_mutex_init(&mutexes[0][0] + i, 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, worker, mutexes[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
}
