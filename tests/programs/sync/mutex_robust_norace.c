// RUN: %clang %s %support -o %t
// RUN: %run_clean %t
// TSAN: false alarm: a thread that dies with the lock releases nothing

// A thread dies holding a robust mutex: the next owner is told so, and is ordered after it.
#include <errno.h>
#include <pthread.h>

#include "script.h"

static pthread_mutex_t mutex;
static int state;

static void* dying(void* unused) {
  pthread_mutex_lock(&mutex);
  state = 1;
  return unused;
}

static void* heir(void* unused) {
  int result;
  script_wait(0);
  result = pthread_mutex_lock(&mutex);
  if (result != EOWNERDEAD || state != 1) return &mutex;
  state = 2;
  pthread_mutex_consistent(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t first, second;
  pthread_mutexattr_t attributes;
  void* failed;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_create(&second, 0, heir, 0);
  pthread_create(&first, 0, dying, 0);
  pthread_join(first, 0);
  script_post(0);
  pthread_join(second, &failed);
  pthread_mutex_destroy(&mutex);
  return failed != 0;
}
