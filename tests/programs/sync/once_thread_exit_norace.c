// RUN: %clang %s %support -o %t
// RUN: %run_clean %t
// TSAN: hangs: its own once does not know that a thread can end in the function

// A thread that ends inside the function has not run it: the next one does, ordered after.
#include <pthread.h>

#include "script.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int attempts;

static void initialise(void) {
  if (++attempts == 1) pthread_exit(0);
}

static void* first(void* key) {
  pthread_setspecific(*(pthread_key_t*)key, key);
  pthread_once(&once, initialise);
  return key;
}

// Of the key: runs after the C library has given the once object free.
static void ended(void* value) {
  (void)value;
  script_post(0);
}

static void* second(void* unused) {
  script_wait(0);
  pthread_once(&once, initialise);
  return attempts == 2 ? unused : &attempts;
}

int main(void) {
  pthread_key_t key;
  pthread_key_create(&key, ended);
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, &key);
  pthread_create(&threads[1], 0, second, 0);
  void* result;
  pthread_join(threads[0], 0);
  pthread_join(threads[1], &result);
  return result != 0;
}
