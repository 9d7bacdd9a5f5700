// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Detached threads, by attribute and by call, that hand their result over through a semaphore.
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int results[2];

static void* worker(void* cell) {
  *(int*)cell = 42;
  sem_post(&done);
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  sem_init(&done, 0, 0);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_create(&thread, &attributes, worker, &results[0]);
  pthread_create(&thread, 0, worker, &results[1]);
  pthread_detach(thread);
  sem_wait(&done);
  sem_wait(&done);
  return results[0] + results[1] == 84 ? 0 : 1;
}
