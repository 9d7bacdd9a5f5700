// REQUIRES: bigfoot
// RUN: %clang %s %support -o %t
// RUN: echo "race:quiet" > %t.suppressions
// RUN: env BIGFOOT_OPTIONS=suppressions=%t.suppressions %run_racy %t
// RUN: echo "race:loud" >> %t.suppressions
// RUN: env BIGFOOT_OPTIONS=suppressions=%t.suppressions %run_unmarked %t

// A race that nobody wants to hear of does not hide what its thread does to the same bytes next, in
// the same epoch and at another place.
#include <pthread.h>

#include "script.h"

static struct {
  char byte;
  short half;
  int word;
  long whole;
} fields __attribute__((aligned(64)));

static __attribute__((noinline)) void quiet(void) {
  keep(fields.byte);
  keep(fields.half);
  keep(fields.word);
  keep(fields.whole);
}

static __attribute__((noinline)) void loud(void) {
  keep(fields.byte);   // RACE: byte read 1
  keep(fields.half);   // RACE: half read 2
  keep(fields.word);   // RACE: word read 4
  keep(fields.whole);  // RACE: whole read 8
}

static void* writer(void* unused) {
  script_wait(0);
  fields.byte = 1;   // RACE: byte write 1
  fields.half = 2;   // RACE: half write 2
  fields.word = 3;   // RACE: word write 4
  fields.whole = 4;  // RACE: whole write 8
  keep_object(&fields);
  script_post(1);
  script_wait(2);  // what ends with a thread is forgotten
  return unused;
}

static void* reader(void* unused) {
  for (int i = 0; i < 2; ++i) quiet();
  script_post(0);
  script_wait(1);
  loud();
  script_post(2);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, writer, 0);
  pthread_create(&threads[1], 0, reader, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
}
