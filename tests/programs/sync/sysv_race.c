// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// Two threads that subtract from the same System V semaphore are not ordered with each other.
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#include "script.h"

static int semaphore;
static int data;

static void subtract(void) {
  struct sembuf operation = {0, -1, 0};
  semop(semaphore, &operation, 1);
}
static void* first(void* unused) {
  data = 1;  // RACE: write 4
  subtract();
  script_post(0);
  return unused;
}
static void* second(void* unused) {
  script_wait(0);
  subtract();
  data = 2;  // RACE: write 4
  return unused;
}

int main(void) {
  pthread_t a, b;
  semaphore = semget(IPC_PRIVATE, 1, 0600);
  if (semaphore < 0) return 2;
  semctl(semaphore, 0, SETVAL, 2);
  keep_object(&data);
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  semctl(semaphore, 0, IPC_RMID);
  keep(data);
}
