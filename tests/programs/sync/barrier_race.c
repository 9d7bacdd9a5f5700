// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// The barrier stands at the wrong place: a neighbour's cell is read in the phase in which it is
// written.
#include <pthread.h>

#include "script.h"

static pthread_barrier_t barrier;
static int cells[2][16];

static void* other(void* unused) {
  pthread_barrier_wait(&barrier);
  cells[1][0] = 1;  // RACE: write 4
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&barrier, 0, 2);
  keep_object(cells);
  pthread_create(&thread, 0, other, 0);
  cells[0][0] = 1;
  pthread_barrier_wait(&barrier);
  keep(cells[1][0]);  // RACE: read 4
  pthread_join(thread, 0);
  pthread_barrier_destroy(&barrier);
}
