// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A read that slipped behind the unlock. The script lets the writer lock later, so that no unlock
// lies between the two accesses.
#include <pthread.h>

#include "script.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void* reader(void* unused) {
  pthread_mutex_lock(&mutex);
  keep(balance + 1);
  pthread_mutex_unlock(&mutex);
  keep(balance);  // RACE: read 4
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&balance);
  pthread_create(&thread, 0, reader, 0);
  script_wait(0);
  pthread_mutex_lock(&mutex);
  balance = 1;  // RACE: write 4
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
}
