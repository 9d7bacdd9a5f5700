// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Creation orders the parent's past before the thread; join orders the thread before the parent's
// future.
#include <pthread.h>

static int handed_over;

static void* worker(void* argument) {
  handed_over += *(int*)argument;
  return &handed_over;
}

int main(void) {
  for (int i = 1; i <= 20; ++i) {
    pthread_t thread;
    int local = i;
    void* result;
    handed_over = 0;
    pthread_create(&thread, 0, worker, &local);
    pthread_join(thread, &result);
    if (*(int*)result != i) return 1;
  }
}
