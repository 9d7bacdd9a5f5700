// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A thread uses a block, gives it back and gets the same memory again, all without synchronising:
// what it does with the second block is not settled by what it did with the first.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "script.h"

struct Small {
  char byte;
  short half;
  int word;
};
static _Atomic(struct Small*) shared;

static __attribute__((noinline)) void fill(struct Small* s, char value) {
  s->byte = value;
  s->half = value;
  s->word = value;
  keep_object(s);
}

static void* owner(void* unused) {
  struct Small* first = malloc(sizeof *first);
  fill(first, 1);
  fill(first, 2);
  free(first);
  struct Small* second = malloc(sizeof *second);
  second->byte = 1;  // RACE: byte write 1
  second->half = 1;  // RACE: half write 2
  second->word = 1;  // RACE: word write 4
  keep_object(second);
  atomic_store_explicit(&shared, second, memory_order_relaxed);
  script_post(0);
  return unused;
}

static void* other(void* unused) {
  script_wait(0);
  struct Small* s = atomic_load_explicit(&shared, memory_order_relaxed);
  s->byte = 2;  // RACE: byte write 1
  s->half = 2;  // RACE: half write 2
  s->word = 2;  // RACE: word write 4
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, owner, 0);
  pthread_create(&threads[1], 0, other, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
}
