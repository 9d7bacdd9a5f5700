// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// A named semaphore, opened twice: both handles are one semaphore.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static char name[64];
static int data;

static void* other(void* unused) {
  sem_t* handle = sem_open(name, 0);
  data = 42;
  sem_post(handle);
  sem_close(handle);
  return unused;
}

int main(void) {
  pthread_t thread;
  snprintf(name, sizeof name, "/bigfoot-named-norace-%d", (int)getpid());
  sem_t* handle = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  if (handle == SEM_FAILED) return 2;
  pthread_create(&thread, 0, other, 0);
  sem_wait(handle);
  int seen = data;
  pthread_join(thread, 0);
  sem_close(handle);
  sem_unlink(name);
  return seen == 42 ? 0 : 1;
}
