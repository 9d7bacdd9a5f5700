// REQUIRES: bigfoot
// RUN: echo "race:give_back" > %t.suppressions
// RUN: %clang %s %support -o %t
// RUN: env BIGFOOT_OPTIONS=suppressions=%t.suppressions %run_racy %t
// RUN: %clang -DNEXT_LIFE=0 %s %support -o %t
// RUN: env BIGFOOT_OPTIONS=suppressions=%t.suppressions %run_unmarked %t

// A block is freed while another thread uses it, a race that is suppressed here, and is the same
// thread's again. What the other one does to the new block races anew, although it has done the
// same to the old one in the same epoch.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "script.h"

#ifndef NEXT_LIFE
#define NEXT_LIFE 1
#endif

struct Small {
  char byte;
  short half;
  int word;
};
static struct Small* block;

static __attribute__((noinline)) void use(const struct Small* s) {
  keep(s->byte);
  keep(s->half);
  keep(s->word);
}

static __attribute__((noinline)) void use_again(const struct Small* s) {
  keep(s->byte);  // RACE: byte read 1
  keep(s->half);  // RACE: half read 2
  keep(s->word);  // RACE: word read 4
}

static __attribute__((noinline)) void give_back(struct Small* s) {
  free(s);
}

static void* owner(void* unused) {
  script_wait(0);
  give_back(block);
  struct Small* next = malloc(sizeof *next);
  if ((uintptr_t)next != (uintptr_t)block) abort();  // it is not the same memory
  if (NEXT_LIFE) {
    next->byte = 1;  // RACE: byte write 1
    next->half = 2;  // RACE: half write 2
    next->word = 3;  // RACE: word write 4
  }
  keep_object(next);
  script_post(1);
  script_wait(2);  // what ends with a thread is forgotten
  return unused;
}

static void* user(void* unused) {
  for (int i = 0; i < 2; ++i) use(block);
  script_post(0);
  script_wait(1);
  use_again(block);
  script_post(2);
  return unused;
}

int main(void) {
  block = malloc(sizeof *block);
  pthread_t threads[2];
  pthread_create(&threads[0], 0, owner, 0);
  pthread_create(&threads[1], 0, user, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
}
