// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// realloc gives the old block up: a reader that is not ordered before it races with that.
#include <pthread.h>
#include <stdlib.h>

#include "script.h"

static char* buffer;

static void* reader(void* unused) {
  keep(buffer[10]);  // RACE: read 1
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  buffer = calloc(20, 1);
  pthread_create(&thread, 0, reader, 0);
  script_wait(0);
  char* larger = realloc(buffer, 100000);  // RACE: write
  keep_object(larger);
  pthread_join(thread, 0);
  free(larger);
}
