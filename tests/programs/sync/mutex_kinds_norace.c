// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Recursive, error-checking, adaptive, priority-inheriting and process-shared mutexes order like a
// plain one.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

enum { kKinds = 5 };
static pthread_mutex_t mutexes[kKinds];
static int counters[kKinds];

static void initialise(int kind) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  if (kind == 0) pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  if (kind == 1) pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  if (kind == 2) pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
  if (kind == 3) pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  if (kind == 4) pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&mutexes[kind], &attributes);
  pthread_mutexattr_destroy(&attributes);
}

static void* worker(void* unused) {
  for (int i = 0; i < 50 * kKinds; ++i) {
    int kind = i % kKinds;
    pthread_mutex_lock(&mutexes[kind]);
    ++counters[kind];
    if (kind == 0) {
      pthread_mutex_lock(&mutexes[kind]);
      ++counters[kind];
      pthread_mutex_unlock(&mutexes[kind]);
      --counters[kind];  // still locked once
    }
    if (kind == 1 && pthread_mutex_lock(&mutexes[kind]) != EDEADLK) return mutexes;
    pthread_mutex_unlock(&mutexes[kind]);
  }
  return unused;
}

int main(void) {
  pthread_t threads[3];
  int failed = 0;
  for (int kind = 0; kind < kKinds; ++kind) initialise(kind);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, worker, 0);
  for (int i = 0; i < 3; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    failed |= result != 0;
  }
  for (int kind = 0; kind < kKinds; ++kind) {
    failed |= counters[kind] != 150;
    pthread_mutex_destroy(&mutexes[kind]);
  }
  return failed;
}
