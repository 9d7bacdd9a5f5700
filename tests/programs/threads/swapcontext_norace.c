// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Contexts of one thread, switched without a word to the detector: they run on the thread's time,
// so nothing is concurrent, calls nest in each of them, and another thread's order with them is its
// order with the thread.
#include <pthread.h>
#include <ucontext.h>

#include "script.h"

enum { kContexts = 3, kRounds = 2000, kStack = 64 << 10 };
static ucontext_t home, contexts[kContexts];
static char stacks[kContexts][kStack];
static int shared, handed_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Frames lie open on every context while the others run.
static void deeper(int me, int depth) {
  ++shared;
  if (depth > 0) {
    deeper(me, depth - 1);
  } else {
    pthread_mutex_lock(&lock);
    ++handed_over;
    pthread_mutex_unlock(&lock);
    swapcontext(&contexts[me], &home);
  }
  ++shared;
}
static void run(int me) {
  for (int i = 0;; ++i) deeper(me, i % 7);
}

static void* other(void* unused) {
  for (int i = 0; i < kRounds; ++i) {
    pthread_mutex_lock(&lock);
    ++handed_over;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  for (int i = 0; i < kContexts; ++i) {
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = kStack;
    contexts[i].uc_link = &home;
    makecontext(&contexts[i], (void (*)(void))run, 1, i);
  }
  for (int i = 0; i < kRounds; ++i) swapcontext(&home, &contexts[i % kContexts]);
  pthread_join(thread, 0);
  return handed_over == 2 * kRounds ? 0 : 1;
}
