// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A race in the child of a fork is reported by the child, and its exit code says so.
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "script.h"

static int shared;

static void* worker(void* unused) {
  shared = 1;  // RACE: write 4
  return unused;
}

static void race(void) {
  pthread_t thread;
  keep_object(&shared);
  pthread_create(&thread, 0, worker, 0);
  shared = 2;  // RACE: write 4
  pthread_join(thread, 0);
}

int main(void) {
  int status;
  pid_t child = fork();
  if (child == 0) {
    race();
    exit(0);
  }
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}
