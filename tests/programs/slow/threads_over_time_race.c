// RUN: %clang %s %support -o %t
// RUN: %run_racy --timeout 300 %t
// TSAN: may miss: its clocks are reset and everything is forgotten

// A race whose two threads have 20,000 other threads between them: a reused slot must not make the
// second look like the first, nor look ordered after it.
#include <pthread.h>

#include "script.h"

static int shared;

static void* early(void* unused) {
  shared = 1;  // RACE: write 4
  script_post(0);
  script_wait(1);
  return unused;
}

static void* between(void* unused) {
  return unused;
}

static void* late(void* unused) {
  keep(shared);  // RACE: read 4
  return unused;
}

int main(void) {
  pthread_t first, other;
  keep_object(&shared);
  pthread_create(&first, 0, early, 0);
  script_wait(0);
  for (int i = 0; i < 20000; ++i) {
    pthread_create(&other, 0, between, 0);
    pthread_join(other, 0);
  }
  pthread_create(&other, 0, late, 0);
  pthread_join(other, 0);
  script_post(1);
  pthread_join(first, 0);
}
