// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// Joining one thread orders nothing with its sibling.
#include <pthread.h>

#include "script.h"

static int results[2][16];

static void* worker(void* cells) {
  *(int*)cells = 1;  // RACE: write 4
  script_post(0);
  return 0;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, worker, results[0]);
  pthread_create(&second, 0, worker, results[1]);
  pthread_join(first, 0);
  script_wait_for(0, 2);
  keep(results[0][0]);
  keep(results[1][0]);  // RACE: read 4
  pthread_join(second, 0);
}
