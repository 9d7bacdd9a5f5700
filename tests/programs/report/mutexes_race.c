// RUN: %clang %s %support -o %t
// RUN: %run_racy %t
// RUN: %not %t 2>&1 | %filecheck %s

// The locks that were held, each described once with the place where it came into being or was
// taken.
#include <pthread.h>

#include "script.h"

static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER, yours = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void* worker(void* unused) {
  pthread_mutex_lock(&yours);
  shared = 1;  // RACE: write 4
  pthread_mutex_unlock(&yours);
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_init(&mine, 0);
  pthread_mutex_init(&yours, 0);
  keep_object(&shared);
  pthread_create(&thread, 0, worker, 0);
  script_wait(0);
  pthread_mutex_lock(&mine);
  shared = 2;  // RACE: write 4
  pthread_mutex_unlock(&mine);
  pthread_join(thread, 0);
}

// clang-format off
// CHECK: WARNING: {{BigFoot|ThreadSanitizer}}: data race
// CHECK: Write of size 4 at {{0x[0-9a-f]+}} by main thread (mutexes: write [[MINE:M[0-9]+]]):
// CHECK: Previous write of size 4 at {{0x[0-9a-f]+}} by thread T1 (mutexes: write [[YOURS:M[0-9]+]]):
// CHECK-DAG: Mutex [[MINE]] ({{0x[0-9a-f]+}}) {{.*}}
// CHECK-DAG: Mutex [[YOURS]] ({{0x[0-9a-f]+}}) {{.*}}
