// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// The old __sync builtins are full barriers; __sync_lock_release is a release.
#include <pthread.h>
#include <sched.h>

static int lock;
static int counter;

static void* worker(void* unused) {
  for (int i = 0; i < 200; ++i) {
    while (__sync_lock_test_and_set(&lock, 1)) sched_yield();
    ++counter;
    __sync_lock_release(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, worker, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return counter == 600 && __sync_bool_compare_and_swap(&lock, 0, 1) ? 0 : 1;
}
