// REQUIRES: bigfoot
// RUN: %clang %s %support -o %t
// RUN: %run_racy %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %run_racy %t
// RUN: %clang -DGOES_ON=0 %s %support -o %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=off %run_unmarked %t

// A thread that goes on reading blocks it has freed races with nobody, until they are another
// thread's. What it has read there before, in the same epoch, does not settle what it reads then.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "script.h"

#ifndef GOES_ON
#define GOES_ON 1
#endif

// As many small blocks as make a thread give some of what it frees to others.
enum { kSmall = 200, kLargeBytes = 40000 };
struct Small {
  char byte;
  short half;
  int word;
};
static struct Small* small[kSmall];
static char* large;

static __attribute__((noinline)) void look(const struct Small* s, const char* c) {
  keep(s->byte);  // RACE: byte read 1
  keep(s->half);  // RACE: half read 2
  keep(s->word);  // RACE: word read 4
  keep(c[1]);     // RACE: large read 1
}

static void* owner(void* unused) {
  for (int i = 0; i < kSmall; ++i) free(small[i]);
  free(large);
  for (int i = 0; i < 2 * kSmall; ++i) look(small[i % kSmall], large);
  script_post(0);
  script_wait(1);
  for (int i = 0; i < kSmall * GOES_ON; ++i) look(small[i], large);
  return unused;
}

static int was_freed(const struct Small* s) {
  for (int i = 0; i < kSmall; ++i)
    if ((uintptr_t)s == (uintptr_t)small[i]) return 1;
  return 0;
}

static void* other(void* unused) {
  script_wait(0);
  char* c = malloc(kLargeBytes);
  struct Small* s = malloc(sizeof *s);
  for (int i = 0; i < 100 * kSmall && !was_freed(s); ++i) s = malloc(sizeof *s);
  if ((uintptr_t)c != (uintptr_t)large || !was_freed(s)) abort();  // it is not the same memory
  s->byte = 2;                                                     // RACE: byte write 1
  s->half = 2;                                                     // RACE: half write 2
  s->word = 2;                                                     // RACE: word write 4
  c[1] = 2;                                                        // RACE: large write 1
  keep_object(s);
  keep_object(c);
  script_post(1);
  return unused;
}

int main(void) {
  for (int i = 0; i < kSmall; ++i) small[i] = malloc(sizeof(struct Small));
  large = malloc(kLargeBytes);
  pthread_t threads[2];
  pthread_create(&threads[0], 0, owner, 0);
  pthread_create(&threads[1], 0, other, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
}
