// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// A mutex is destroyed, its memory freed, and a new one made at the same place: no lock is "still
// held", and destroying an object that others have used before, in order, is no race.
#include <pthread.h>
#include <stdlib.h>

struct Box {
  pthread_mutex_t mutex;
  int value;
};

static void* worker(void* argument) {
  struct Box* box = argument;
  pthread_mutex_lock(&box->mutex);
  ++box->value;
  pthread_mutex_unlock(&box->mutex);
  return 0;
}

int main(void) {
  for (int i = 0; i < 20; ++i) {
    pthread_t first, second;
    struct Box* box = malloc(sizeof *box);
    box->value = 0;
    pthread_mutex_init(&box->mutex, 0);
    pthread_create(&first, 0, worker, box);
    pthread_create(&second, 0, worker, box);
    pthread_join(first, 0);
    pthread_join(second, 0);
    if (box->value != 2) return 1;
    pthread_mutex_destroy(&box->mutex);
    free(box);
  }
}
