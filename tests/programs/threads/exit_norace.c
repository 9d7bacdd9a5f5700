// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// pthread_exit from a nested call ends the thread; join gets its value and its past.
#include <pthread.h>

static int result;

static __attribute__((noinline)) void finish(void) {
  result = 42;
  pthread_exit(&result);
}

static void* worker(void* unused) {
  finish();
  return unused;
}

int main(void) {
  pthread_t thread;
  void* value;
  pthread_create(&thread, 0, worker, 0);
  pthread_join(thread, &value);
  return value == &result && result == 42 ? 0 : 1;
}
