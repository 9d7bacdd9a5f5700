// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// pthread_once: the one run of the function is ordered before every return from the call.
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[10];

static void initialise(void) {
  for (int i = 0; i < 10; ++i) table[i] = i;
}

static void* user(void* unused) {
  pthread_once(&once, initialise);
  return table[9] == 9 ? unused : table;
}

int main(void) {
  pthread_t threads[4];
  int failed = 0;
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, user, 0);
  for (int i = 0; i < 4; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    failed |= result != 0;
  }
  return failed;
}
