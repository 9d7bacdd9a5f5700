// REQUIRES: bigfoot
// RUN: %clang %s %support -o %t
// RUN: %run_racy %t
// RUN: %clang -DGOES_ON=0 %s %support -o %t
// RUN: %run_unmarked %t

// A thread that is ordered after the end of an array goes on reading it, which races with nobody.
// The next array there is another's: the same range, read once more in the same epoch, is not
// settled by that.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "script.h"

#ifndef GOES_ON
#define GOES_ON 1
#endif

enum { kCount = 500 };
static int* array;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void look(const int* a) {
  long sum = 0;
  for (int i = 0; i < kCount; ++i) sum += a[i];  // RACE: read
  keep(sum);
}

static void* owner(void* unused) {
  pthread_mutex_lock(&mutex);
  free(array);
  pthread_mutex_unlock(&mutex);
  script_post(0);
  script_wait(1);
  int* next = malloc(kCount * sizeof *next);
  if ((uintptr_t)next != (uintptr_t)array) abort();  // it is not the same memory
  for (int i = 0; i < kCount; ++i) next[i] = i;      // RACE: write
  keep_object(next);
  script_post(2);
  script_wait(3);
  return unused;
}

static void* other(void* unused) {
  script_wait(0);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 2; ++i) look(array);
  script_post(1);
  script_wait(2);
  if (GOES_ON) look(array);
  script_post(3);
  return unused;
}

int main(void) {
  array = malloc(kCount * sizeof *array);
  pthread_t threads[2];
  pthread_create(&threads[0], 0, owner, 0);
  pthread_create(&threads[1], 0, other, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
}
