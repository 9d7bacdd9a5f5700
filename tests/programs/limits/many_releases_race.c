// RUN: %clang %s %support -o %t
// RUN: %run_racy %t
// TSAN: misses: its clocks are full after some four million releases, and everything is forgotten

// Between the two racing accesses two other threads do 4.5 million releases.
#include <pthread.h>

#include "script.h"

static int shared;

static void* first(void* unused) {
  shared = 1;  // RACE: write 4
  script_post(0);
  return unused;
}

static void* releasing(void* unused) {
  int flag = 0;
  keep_object(&flag);
  script_wait(0);
  for (int i = 0; i < 2250000; ++i) __atomic_store_n(&flag, i, __ATOMIC_RELEASE);
  script_post(1);
  return unused;
}

static void* second(void* unused) {
  script_wait_for(1, 2);
  shared = 2;  // RACE: write 4
  return unused;
}

int main(void) {
  void* (*bodies[])(void*) = {first, releasing, releasing, second};
  pthread_t threads[4];
  keep_object(&shared);
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, bodies[i], 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
}
