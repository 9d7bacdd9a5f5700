// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// Two threads that write to the same stream are not ordered by that: nobody has read anything.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "script.h"

static int data;
static FILE* out;

static void* first(void* unused) {
  data = 1;  // RACE: write 4
  fprintf(out, "first\n");
  fflush(out);
  script_post(0);
  return unused;
}
static void* second(void* unused) {
  script_wait(0);
  fputs("second\n", out);
  data = 2;  // RACE: write 4
  return unused;
}

int main(void) {
  pthread_t a, b;
  int fds[2];
  if (pipe(fds) != 0) return 2;
  out = fdopen(fds[1], "w");
  keep_object(&data);
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  keep(data);
}
