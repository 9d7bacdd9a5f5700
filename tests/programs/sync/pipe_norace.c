// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// What is written to a pipe orders the writer before the reader that gets it.
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int data;

static void* writer(void* unused) {
  data = 42;
  if (write(ends[1], "x", 1) != 1) return &data;
  return unused;
}

int main(void) {
  pthread_t thread;
  char byte;
  void* failed;
  if (pipe(ends) != 0) return 2;
  pthread_create(&thread, 0, writer, 0);
  if (read(ends[0], &byte, 1) != 1) return 3;
  int seen = data;
  pthread_join(thread, &failed);
  close(ends[0]);
  close(ends[1]);
  return seen == 42 && !failed ? 0 : 1;
}
