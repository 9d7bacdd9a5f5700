// RUN: %clang %s %support -o %t
// RUN: %run_racy %t
// TSAN: crashes: threads that C11 calls start are unknown to it

// C11 threads whose mutexes do not match.
#include <threads.h>

#include "script.h"

static mtx_t mine, yours;
static int shared;

static int worker(void* unused) {
  (void)unused;
  mtx_lock(&yours);
  shared = 1;  // RACE: write 4
  mtx_unlock(&yours);
  return 0;
}

int main(void) {
  thrd_t thread;
  keep_object(&shared);
  mtx_init(&mine, mtx_plain);
  mtx_init(&yours, mtx_plain);
  if (thrd_create(&thread, worker, 0) != thrd_success) return 1;
  mtx_lock(&mine);
  shared = 2;  // RACE: write 4
  mtx_unlock(&mine);
  thrd_join(thread, 0);
}
