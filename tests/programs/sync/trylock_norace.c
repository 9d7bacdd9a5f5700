// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Every way to lock with a way out: trylock, timedlock, clocklock. Success orders.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static struct timespec in_a_while(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += 1000;
  return time;
}

static void* worker(void* unused) {
  struct timespec realtime = in_a_while(CLOCK_REALTIME), monotonic = in_a_while(CLOCK_MONOTONIC);
  for (int i = 0; i < 150; ++i) {
    if (i % 3 == 0)
      while (pthread_mutex_trylock(&mutex) != 0) sched_yield();
    else if (i % 3 == 1)
      pthread_mutex_timedlock(&mutex, &realtime);
    else
      pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &monotonic);
    ++counter;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, worker, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return counter == 450 ? 0 : 1;
}
