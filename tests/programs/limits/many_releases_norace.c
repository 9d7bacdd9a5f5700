// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// 4.5 million releases by two threads that hand a counter to and fro now and then: clocks grow,
// nothing wraps, nothing is forgotten that orders.
#include <pthread.h>
#include <sched.h>

#include "script.h"

static int turn, guarded;

static void* worker(void* argument) {
  int me = (int)(long)argument, own = 0;
  keep_object(&own);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 225000; ++i) __atomic_store_n(&own, i, __ATOMIC_RELEASE);
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != me) sched_yield();
    ++guarded;
    __atomic_store_n(&turn, 1 - me, __ATOMIC_RELEASE);
  }
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, worker, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return guarded == 20 ? 0 : 1;
}
