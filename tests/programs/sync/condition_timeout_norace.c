// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// A wait that times out has given the mutex up and taken it again: both directions are ordered.
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int counter;

static void* worker(void* unused) {
  pthread_mutex_lock(&mutex);
  ++counter;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  struct timespec past = {0, 0};
  int done = 0;
  pthread_mutex_lock(&mutex);
  ++counter;
  pthread_create(&thread, 0, worker, 0);
  while (!done) {
    if (pthread_cond_timedwait(&never, &mutex, &past) != ETIMEDOUT) return 1;
    done = counter == 2;
  }
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
}
