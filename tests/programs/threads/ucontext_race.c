// REQUIRES: bigfoot
// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A context is a thread of its own: what another OS thread does after it was suspended is not
// ordered after it, although the same OS thread ran both before.
#include <pthread.h>
#include <ucontext.h>

#include "script.h"

static char stack[1 << 16];
static ucontext_t caller, context;
static int shared;

static void body(void) {
  script_post(0);
  script_wait(1);
  keep(shared);  // RACE: read 4
  swapcontext(&context, &caller);
}

static void* run(void* unused) {
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = sizeof stack;
  context.uc_link = NULL;
  makecontext(&context, body, 0);
  swapcontext(&caller, &context);
  return unused;
}

static void* write_meanwhile(void* unused) {
  script_wait(0);
  shared = 1;  // RACE: write 4
  script_post(1);
  return unused;
}

int main(void) {
  keep_object(&shared);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, run, NULL);
  pthread_create(&threads[1], NULL, write_meanwhile, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
