// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// The data are written after the byte has gone into the pipe.
#include <pthread.h>
#include <unistd.h>

#include "script.h"

static int ends[2];
static int data;

static void* writer(void* unused) {
  if (write(ends[1], "x", 1) != 1) return ends;
  data = 42;  // RACE: write 4
  return unused;
}

int main(void) {
  pthread_t thread;
  char byte;
  if (pipe(ends) != 0) return 2;
  keep_object(&data);
  pthread_create(&thread, 0, writer, 0);
  if (read(ends[0], &byte, 1) != 1) return 3;
  keep(data);  // RACE: read 4
  pthread_join(thread, 0);
}
