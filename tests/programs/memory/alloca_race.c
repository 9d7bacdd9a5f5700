// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// Memory of alloca and of a variable-length array, shared with a thread.
#include <alloca.h>
#include <pthread.h>

#include "script.h"

static void* writer(void* cell) {
  *(int*)cell = 1;  // RACE: write 4
  return 0;
}

static __attribute__((noinline)) void share(int count) {
  pthread_t thread;
  int* dynamic = alloca(count * sizeof *dynamic);
  dynamic[count / 2] = 0;
  pthread_create(&thread, 0, writer, &dynamic[count / 2]);
  keep(dynamic[count / 2]);  // RACE: read 4
  pthread_join(thread, 0);
}

int main(void) {
  share(100);
}
