// RUN: %clang %s %support -o %t
// RUN: %run_clean %t
// TSAN: false alarm: splice and tee order nothing

// Bytes that threads pass on from pipe to pipe without looking at them carry the order along. The
// race without it is pipe_other_race.c.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "script.h"

static int first[2], second[2], third[2];
static int data;

static void* writer(void* unused) {
  data = 42;
  if (write(first[1], "x", 1) != 1) return first;
  return unused;
}
static void* splicer(void* unused) {
  if (splice(first[0], 0, second[1], 0, 1, 0) != 1) return first;
  return unused;
}
static void* copier(void* unused) {
  if (tee(second[0], third[1], 1, 0) != 1) return second;
  return unused;
}

int main(void) {
  pthread_t threads[3];
  char byte;
  if (pipe(first) != 0 || pipe(second) != 0 || pipe(third) != 0) return 2;
  keep_object(&data);
  pthread_create(&threads[0], 0, copier, 0);
  pthread_create(&threads[1], 0, splicer, 0);
  pthread_create(&threads[2], 0, writer, 0);
  if (read(third[0], &byte, 1) != 1) return 3;
  keep(data);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
}
