// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// A queue of one: wait, signal, broadcast, timed waits with either clock.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int full, item;

static void* producer(void* unused) {
  for (int i = 1; i <= 100; ++i) {
    pthread_mutex_lock(&mutex);
    while (full) pthread_cond_wait(&emptied, &mutex);
    item = i;
    full = 1;
    if (i % 2)
      pthread_cond_signal(&filled);
    else
      pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  struct timespec realtime, monotonic;
  int sum = 0;
  clock_gettime(CLOCK_REALTIME, &realtime);
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  realtime.tv_sec += 1000;
  monotonic.tv_sec += 1000;
  pthread_create(&thread, 0, producer, 0);
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&mutex);
    while (!full)
      if (i % 2)
        pthread_cond_timedwait(&filled, &mutex, &realtime);
      else
        pthread_cond_clockwait(&filled, &mutex, CLOCK_MONOTONIC, &monotonic);
    sum += item;
    full = 0;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&mutex);
  }
  pthread_join(thread, 0);
  return sum == 5050 ? 0 : 1;
}
