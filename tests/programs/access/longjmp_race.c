// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A thread jumps out of nested calls with longjmp, then races.
#include <pthread.h>
#include <setjmp.h>

#include "script.h"

static int shared;
static _Thread_local jmp_buf start;

static __attribute__((noinline)) void leave(int depth) {
  if (depth == 0) longjmp(start, 1);
  leave(depth - 1);
  keep(depth);
}

static void* jumper(void* unused) {
  if (setjmp(start) == 0) leave(5);
  shared = 1;  // RACE: write 4
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&shared);
  pthread_create(&thread, 0, jumper, 0);
  shared = 2;  // RACE: write 4
  pthread_join(thread, 0);
}
