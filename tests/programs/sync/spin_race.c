// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// One thread forgets the spin lock.
#include <pthread.h>

#include "script.h"

static pthread_spinlock_t lock;
static int counter;

static void* worker(void* unused) {
  pthread_spin_lock(&lock);
  counter = 1;  // RACE: write 4
  pthread_spin_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&counter);
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&thread, 0, worker, 0);
  counter = 2;  // RACE: write 4
  pthread_join(thread, 0);
  pthread_spin_destroy(&lock);
}
