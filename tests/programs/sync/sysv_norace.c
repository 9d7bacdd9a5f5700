// RUN: %clang %s %support -o %t
// RUN: %run_clean %t
// TSAN: false alarm: System V semaphores and message queues are not modelled

// System V: adding to a semaphore is before the subtraction it lets through, subtracting before the
// return of who waits for zero, and sending a message before its receipt.
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "script.h"

struct Message {
  long type;
  char text[8];
};
static int semaphores, queue;
static int data;

static void change(unsigned short number, short by) {
  struct sembuf operation = {number, by, 0};
  semop(semaphores, &operation, 1);
}

static void* worker(void* unused) {
  struct Message m = {1, "sent"};
  data = 1;
  change(0, 1);
  change(1, -1);
  data = 3;
  change(2, -1);
  change(1, -1);
  data = 5;
  msgsnd(queue, &m, sizeof m.text, 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  struct Message m;
  semaphores = semget(IPC_PRIVATE, 3, 0600);
  queue = msgget(IPC_PRIVATE, 0600);
  if (semaphores < 0 || queue < 0) return 2;
  semctl(semaphores, 2, SETVAL, 1);
  keep_object(&data);
  pthread_create(&thread, 0, worker, 0);
  change(0, -1);
  data = 2;
  change(1, 1);
  change(2, 0);
  data = 4;
  change(1, 1);
  msgrcv(queue, &m, sizeof m.text, 0, 0);
  data = 6;
  pthread_join(thread, 0);
  semctl(semaphores, 0, IPC_RMID);
  msgctl(queue, IPC_RMID, 0);
  keep(data);
}
