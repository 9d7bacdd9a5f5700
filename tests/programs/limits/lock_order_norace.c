// RUN: %clang %s %support -o %t
// RUN: %run_clean %t
// TSAN: false alarm: a lock order inversion that no second thread takes part in

// One thread takes two locks in both orders, one after the other: there is nobody to deadlock with.
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* worker(void* unused) {
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
  ++counter;
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  pthread_mutex_lock(&right);
  pthread_mutex_lock(&left);
  ++counter;
  pthread_mutex_unlock(&left);
  pthread_mutex_unlock(&right);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  pthread_join(thread, 0);
  return counter == 2 ? 0 : 1;
}
