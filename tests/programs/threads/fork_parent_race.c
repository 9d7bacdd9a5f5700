// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// The parent goes on being watched after a fork.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "script.h"

static int shared;

static void* worker(void* unused) {
  shared = 1;  // RACE: write 4
  return unused;
}

int main(void) {
  pthread_t thread;
  int status;
  pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, &status, 0);
  keep_object(&shared);
  pthread_create(&thread, 0, worker, 0);
  shared = 2;  // RACE: write 4
  pthread_join(thread, 0);
  return status;
}
