// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// One reader's unlock is not ordered before another reader's lock, only before the next writer's.
#include <pthread.h>

#include "script.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cache;

static void* first_reader(void* unused) {
  pthread_rwlock_rdlock(&lock);
  cache = 1;  // RACE: write 4
  pthread_rwlock_unlock(&lock);
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&cache);
  pthread_create(&thread, 0, first_reader, 0);
  script_wait(0);
  pthread_rwlock_rdlock(&lock);
  keep(cache);  // RACE: read 4
  pthread_rwlock_unlock(&lock);
  pthread_join(thread, 0);
}
