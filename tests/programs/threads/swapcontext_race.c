// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A context that another thread races with: the access is found, and named by its line.
#include <pthread.h>
#include <ucontext.h>

#include "script.h"

static ucontext_t home, context;
static char stack[64 << 10];
static int shared;

static void run(void) {
  shared = 1;  // RACE: write 4
  swapcontext(&context, &home);
}
static void* other(void* unused) {
  keep(shared);  // RACE: read 4
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&shared);
  pthread_create(&thread, 0, other, 0);
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = sizeof stack;
  context.uc_link = &home;
  makecontext(&context, run, 0);
  swapcontext(&home, &context);
  pthread_join(thread, 0);
}
