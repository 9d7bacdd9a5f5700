// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// POSIX spin locks.
#include <pthread.h>
#include <sched.h>

static pthread_spinlock_t lock;
static int counter;

static void* worker(void* unused) {
  for (int i = 0; i < 200; ++i) {
    if (i % 2)
      while (pthread_spin_trylock(&lock) != 0) sched_yield();
    else
      pthread_spin_lock(&lock);
    ++counter;
    pthread_spin_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, worker, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  pthread_spin_destroy(&lock);
  return counter == 400 ? 0 : 1;
}
