// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// A search stops ahead of what another thread writes. Vector code reads on beyond what it finds,
// but the program does not.
#include <pthread.h>

#include "script.h"

static unsigned char bytes[1024];

__attribute__((noinline)) static int find(int wanted) {
  for (int i = 0; i < 1024; ++i)
    if (bytes[i] == wanted) return i;
  return -1;
}

static void* writer(void* unused) {
  for (int i = 5; i < 1024; ++i) bytes[i] = 9;
  return unused;
}

int main(void) {
  pthread_t thread;
  bytes[3] = 7;
  pthread_create(&thread, 0, writer, 0);
  int found = find(7);
  pthread_join(thread, 0);
  return found != 3;
}
