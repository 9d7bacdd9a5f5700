// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Phases between barriers: everyone writes its own cell, then reads its neighbour's.
#include <pthread.h>

enum { kThreads = 4, kPhases = 20 };
static pthread_barrier_t barrier;
static int cells[kThreads];
static int failed[kThreads];

static void* worker(void* argument) {
  int me = (int)(long)argument;
  for (int phase = 0; phase < kPhases; ++phase) {
    cells[me] = phase;
    pthread_barrier_wait(&barrier);
    if (cells[(me + 1) % kThreads] != phase) failed[me] = 1;
    pthread_barrier_wait(&barrier);
  }
  return 0;
}

int main(void) {
  pthread_t threads[kThreads];
  int any = 0;
  pthread_barrier_init(&barrier, 0, kThreads);
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], 0, worker, (void*)i);
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], 0);
    any |= failed[i];
  }
  pthread_barrier_destroy(&barrier);
  return any;
}
