// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// Reading from one pipe orders nothing with a write to another.
#include <pthread.h>
#include <unistd.h>

#include "script.h"

static int mine[2], theirs[2];
static int data;

static void* writer(void* unused) {
  data = 42;  // RACE: write 4
  if (write(theirs[1], "x", 1) != 1) return mine;
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  char byte;
  if (pipe(mine) != 0 || pipe(theirs) != 0) return 2;
  keep_object(&data);
  if (write(mine[1], "x", 1) != 1) return 3;
  pthread_create(&thread, 0, writer, 0);
  script_wait(0);
  if (read(mine[0], &byte, 1) != 1) return 4;
  keep(data);  // RACE: read 4
  pthread_join(thread, 0);
}
