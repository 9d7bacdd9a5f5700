// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// Two threads hold the lock for reading at the same time, and write.
#include <pthread.h>

#include "script.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int hits;

static void* reader(void* unused) {
  pthread_rwlock_rdlock(&lock);
  ++hits;  // RACE: read 4, write 4
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, reader, 0);
  pthread_create(&second, 0, reader, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  keep(hits);
}
