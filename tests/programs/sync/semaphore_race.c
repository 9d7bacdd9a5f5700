// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A semaphore with two tokens lets two threads in at once. The script holds both inside together.
#include <pthread.h>
#include <semaphore.h>

#include "script.h"

static sem_t tokens;
static int inside;

static void* worker(void* unused) {
  sem_wait(&tokens);
  script_post(0);
  script_wait_for(0, 2);
  ++inside;  // RACE: read 4, write 4
  script_post(1);
  script_wait_for(1, 2);
  sem_post(&tokens);
  return unused;
}

int main(void) {
  pthread_t first, second;
  sem_init(&tokens, 0, 2);
  pthread_create(&first, 0, worker, 0);
  pthread_create(&second, 0, worker, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  keep(inside);
}
