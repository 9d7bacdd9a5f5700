// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// The non-standard joins order like the plain one.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

static int results[2];

static void* worker(void* cell) {
  *(int*)cell = 21;
  return 0;
}

int main(void) {
  pthread_t polled, timed;
  struct timespec late;
  clock_gettime(CLOCK_REALTIME, &late);
  late.tv_sec += 1000;
  pthread_create(&polled, 0, worker, &results[0]);
  pthread_create(&timed, 0, worker, &results[1]);
  while (pthread_tryjoin_np(polled, 0) == EBUSY) sched_yield();
  if (pthread_timedjoin_np(timed, 0, &late) != 0) return 2;
  return results[0] + results[1] == 42 ? 0 : 1;
}
