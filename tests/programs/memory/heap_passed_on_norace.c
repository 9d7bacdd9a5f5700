// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// A block is used by one thread, freed by a second that is ordered after it, and allocated again by
// a third that is ordered after nobody. The script makes sure that the third gets it last.
#include <pthread.h>
#include <stdlib.h>

#include "script.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int* block;

static void* user(void* unused) {
  pthread_mutex_lock(&mutex);
  *block = 1;
  pthread_mutex_unlock(&mutex);
  script_post(0);
  return unused;
}

static void* releaser(void* unused) {
  script_wait(0);
  pthread_mutex_lock(&mutex);
  free(block);
  pthread_mutex_unlock(&mutex);
  script_post(1);
  return unused;
}

static void* stranger(void* unused) {
  script_wait(1);
  for (int i = 0; i < 100; ++i) {
    int* fresh = malloc(sizeof *fresh);
    *fresh = i;
    keep_object(fresh);
    free(fresh);
  }
  return unused;
}

int main(void) {
  pthread_t threads[3];
  block = malloc(sizeof *block);
  pthread_create(&threads[0], 0, user, 0);
  pthread_create(&threads[1], 0, releaser, 0);
  pthread_create(&threads[2], 0, stranger, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
}
