// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// A cancelled thread runs its cleanup handler; join orders the handler before the reader.
#include <pthread.h>
#include <unistd.h>

#include "script.h"

static int cleaned;

static void clean(void* unused) {
  (void)unused;
  cleaned = 1;
}

static void* worker(void* unused) {
  pthread_cleanup_push(clean, 0);
  script_post(0);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  void* value;
  pthread_create(&thread, 0, worker, 0);
  script_wait(0);
  pthread_cancel(thread);
  pthread_join(thread, &value);
  return value == PTHREAD_CANCELED && cleaned ? 0 : 1;
}
