// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Generators by swapcontext, one of which goes on on another OS thread: control passes to and fro
// by the program's own wish, which orders, and a context cannot race with itself. One ends by
// uc_link, and its stack is used again by the next.
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

#include "script.h"

enum { kStack = 1 << 16 };
static char stacks[2][kStack];
static ucontext_t caller, generator;
static int produced;

static void produce(int from, int step) {
  int local[4] = {from, step, 0, 0};
  keep_object(local);
  for (int i = 0; i < 3; ++i) {
    produced = local[0];
    local[0] += local[1];
    swapcontext(&generator, &caller);
  }
}

static void make(int stack, int from) {
  getcontext(&generator);
  generator.uc_stack.ss_sp = stacks[stack];
  generator.uc_stack.ss_size = kStack;
  generator.uc_link = &caller;
  makecontext(&generator, (void (*)(void))produce, 2, from, 10);
}

static int next(void) {
  swapcontext(&caller, &generator);
  return produced;
}

static void* on_another_thread(void* first) {
  script_wait(0);
  if (next() != 11 || next() != 21) abort();
  next();  // to its end
  return first;
}

static void* start(void* unused) {
  make(0, 1);
  if (next() != 1) abort();
  script_post(0);
  return unused;
}

int main(void) {
  for (int round = 0; round < 2; ++round) {
    make(1, 5);
    if (next() != 5 || next() != 15 || next() != 25) abort();
    next();
  }
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, start, NULL);
  pthread_join(threads[0], NULL);
  pthread_create(&threads[1], NULL, on_another_thread, NULL);
  pthread_join(threads[1], NULL);
  return 0;
}
