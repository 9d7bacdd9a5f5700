// RUN: %clang %s %support -o %t
// RUN: %run_clean %t
// TSAN: crashes: threads that C11 calls start are unknown to it

// C11 <threads.h>: create and join, every kind of mutex, condition variable, call_once,
// destructors.
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static mtx_t plain, timed, recursive;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t slot;
static int initialised, under_plain, under_timed, under_recursive, destroyed;

static void initialise(void) {
  initialised = 1;
}

static void destroy(void* value) {
  (void)value;
  mtx_lock(&plain);
  ++destroyed;
  mtx_unlock(&plain);
}

static int worker(void* unused) {
  struct timespec late = {.tv_sec = time(0) + 1000};
  (void)unused;
  call_once(&once, initialise);
  if (!initialised) return 1;
  tss_set(slot, &slot);
  while (mtx_trylock(&recursive) != thrd_success) thrd_yield();
  mtx_lock(&recursive);
  ++under_recursive;
  mtx_unlock(&recursive);
  ++under_recursive;
  mtx_unlock(&recursive);
  if (mtx_timedlock(&timed, &late) != thrd_success) return 2;
  ++under_timed;
  mtx_unlock(&timed);
  mtx_lock(&plain);
  ++under_plain;
  cnd_signal(&changed);
  mtx_unlock(&plain);
  return 0;
}

int main(void) {
  thrd_t threads[3];
  int failed = 0;
  mtx_init(&plain, mtx_plain);
  mtx_init(&timed, mtx_timed);
  mtx_init(&recursive, mtx_plain | mtx_recursive);
  cnd_init(&changed);
  tss_create(&slot, destroy);
  for (int i = 0; i < 3; ++i)
    if (thrd_create(&threads[i], worker, 0) != thrd_success) abort();
  mtx_lock(&plain);
  while (under_plain < 3) cnd_wait(&changed, &plain);
  mtx_unlock(&plain);
  for (int i = 0; i < 3; ++i) {
    int result;
    thrd_join(threads[i], &result);
    failed += result;
  }
  return failed || under_timed != 3 || under_recursive != 6 || destroyed != 3;
}
