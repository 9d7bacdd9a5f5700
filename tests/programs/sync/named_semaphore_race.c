// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// The write comes after the post.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include "script.h"

static sem_t* handle;
static int data;

static void* other(void* unused) {
  sem_post(handle);
  data = 42;  // RACE: write 4
  return unused;
}

int main(void) {
  pthread_t thread;
  char name[64];
  snprintf(name, sizeof name, "/bigfoot-named-race-%d", (int)getpid());
  handle = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  if (handle == SEM_FAILED) return 2;
  sem_unlink(name);
  keep_object(&data);
  pthread_create(&thread, 0, other, 0);
  sem_wait(handle);
  keep(data);  // RACE: read 4
  pthread_join(thread, 0);
  sem_close(handle);
}
