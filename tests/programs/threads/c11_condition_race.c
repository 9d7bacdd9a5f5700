// RUN: %clang %s %support -o %t
// RUN: %run_racy %t
// TSAN: crashes: threads that C11 calls start are unknown to it

// A C11 condition variable orders through its mutex only: the payload is written after the unlock.
#include <threads.h>

#include "script.h"

static mtx_t mutex;
static cnd_t changed;
static int ready, payload;

static int worker(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  ready = 1;
  cnd_broadcast(&changed);
  mtx_unlock(&mutex);
  payload = 1;  // RACE: write 4
  script_post(0);
  return 0;
}

int main(void) {
  thrd_t thread;
  keep_object(&payload);
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
  if (thrd_create(&thread, worker, 0) != thrd_success) return 1;
  mtx_lock(&mutex);
  while (!ready) cnd_wait(&changed, &mutex);
  mtx_unlock(&mutex);
  script_wait(0);
  keep(payload);  // RACE: read 4
  thrd_join(thread, 0);
}
