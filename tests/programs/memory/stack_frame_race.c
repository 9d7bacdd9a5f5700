// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A function returns although a thread still uses its local: the next function writes the same
// stack bytes.
#include <pthread.h>

#include "script.h"

static pthread_t thread;

static void* user(void* local) {
  *(volatile int*)local = 1;  // RACE: write 4
  script_post(0);
  return 0;
}

static __attribute__((noinline)) void leave_dangling(void) {
  int locals[64] = {0};
  keep_object(locals);
  pthread_create(&thread, 0, user, &locals[32]);
  script_wait(0);
  keep(locals[32]);  // RACE: read 4
}

int main(void) {
  leave_dangling();
  pthread_join(thread, 0);
}
