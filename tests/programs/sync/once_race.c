// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// Two once controls for one table: each runs the function.
#include <pthread.h>

#include "script.h"

static pthread_once_t mine = PTHREAD_ONCE_INIT, yours = PTHREAD_ONCE_INIT;
static int table;

static void initialise(void) {
  table = 7;  // RACE: write 4
}

static void* user(void* unused) {
  pthread_once(&yours, initialise);
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&table);
  pthread_create(&thread, 0, user, 0);
  pthread_once(&mine, initialise);
  pthread_join(thread, 0);
}
