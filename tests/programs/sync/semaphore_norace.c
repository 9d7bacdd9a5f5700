// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Unnamed semaphores: post orders before the wait that takes it; try and timed waits as well.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

static sem_t ping, pong;
static int data;

static void* other(void* unused) {
  for (int i = 0; i < 50; ++i) {
    sem_wait(&ping);
    ++data;
    sem_post(&pong);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  struct timespec late = {.tv_sec = time(0) + 1000};
  sem_init(&ping, 0, 0);
  sem_init(&pong, 0, 0);
  pthread_create(&thread, 0, other, 0);
  for (int i = 0; i < 50; ++i) {
    ++data;
    sem_post(&ping);
    if (i % 3 == 0)
      sem_timedwait(&pong, &late);
    else if (i % 3 == 1)
      sem_wait(&pong);
    else
      while (sem_trywait(&pong) != 0) sched_yield();
  }
  pthread_join(thread, 0);
  sem_destroy(&ping);
  sem_destroy(&pong);
  return data == 100 ? 0 : 1;
}
