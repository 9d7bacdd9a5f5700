// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Writers exclude everyone, readers do not exclude each other; all ways to lock.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, copy;

static void* writer(void* unused) {
  struct timespec late = {.tv_sec = time(0) + 1000};
  for (int i = 0; i < 100; ++i) {
    if (i % 3 == 0)
      pthread_rwlock_wrlock(&lock);
    else if (i % 3 == 1)
      while (pthread_rwlock_trywrlock(&lock) != 0) sched_yield();
    else
      pthread_rwlock_timedwrlock(&lock, &late);
    ++value;
    copy = value;
    pthread_rwlock_unlock(&lock);
  }
  return unused;
}

static void* reader(void* unused) {
  struct timespec late = {.tv_sec = time(0) + 1000};
  void* failed = unused;
  for (int i = 0; i < 100; ++i) {
    if (i % 3 == 0)
      pthread_rwlock_rdlock(&lock);
    else if (i % 3 == 1)
      while (pthread_rwlock_tryrdlock(&lock) != 0) sched_yield();
    else
      pthread_rwlock_clockrdlock(&lock, CLOCK_REALTIME, &late);
    if (value != copy) failed = &value;
    pthread_rwlock_unlock(&lock);
  }
  return failed;
}

int main(void) {
  pthread_t threads[4];
  int failed = 0;
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, i % 2 ? reader : writer, 0);
  for (int i = 0; i < 4; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    failed |= result != 0;
  }
  return failed || value != 200;
}
