// RUN: %clang %s %support -o %t
// RUN: %run_clean %t
// TSAN: false alarm: sem_clockwait is unknown to it

// A semaphore waited for by a given clock.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t posted;
static int data;

static void* other(void* unused) {
  data = 42;
  sem_post(&posted);
  return unused;
}

int main(void) {
  pthread_t thread;
  struct timespec late;
  clock_gettime(CLOCK_MONOTONIC, &late);
  late.tv_sec += 1000;
  sem_init(&posted, 0, 0);
  pthread_create(&thread, 0, other, 0);
  if (sem_clockwait(&posted, CLOCK_MONOTONIC, &late) != 0) return 2;
  int seen = data;
  pthread_join(thread, 0);
  return seen == 42 ? 0 : 1;
}
