// Neither thread is ordered before the other's bump, whichever comes first.
#include <pthread.h>

#include "counter.h"

static void* work(void* unused) {
  (void)unused;
  bump();
  return 0;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, work, 0) != 0) return 2;
  bump();
  pthread_join(thread, 0);
  return counted() == 2 || counted() == 1 ? 0 : 3;
}
