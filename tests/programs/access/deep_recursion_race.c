// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// The racing access is 20,000 calls deep.
#include <pthread.h>

#include "script.h"

static int shared;

static __attribute__((noinline)) int descend(int depth) {
  if (depth == 0) return ++shared;  // RACE: read 4, write 4
  int below = descend(depth - 1);
  keep(below);
  return below + 1;
}

static void* deep(void* unused) {
  keep(descend(20000));
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, deep, 0);
  shared = 7;  // RACE: write 4
  pthread_join(thread, 0);
}
