// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Signals arrive while threads allocate, lock, start and end: the run time must not deadlock in
// itself. The handler does what handlers may do, and what they do although they may not is left
// out.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>

static _Thread_local volatile sig_atomic_t interrupted;
static atomic_long ticks;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void on_tick(int number) {
  (void)number;
  interrupted = 1;
  atomic_fetch_add_explicit(&ticks, 1, memory_order_relaxed);
}

static void* churn(void* unused) {
  for (int i = 0; i < 3000; ++i) {
    char* block = malloc(64 + i % 512);
    block[0] = 1;
    pthread_mutex_lock(&mutex);
    ++counter;
    pthread_mutex_unlock(&mutex);
    free(block);
  }
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
  struct itimerval every = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
  sigaction(SIGALRM, &action, 0);
  setitimer(ITIMER_REAL, &every, 0);
  for (int round = 0; round < 10; ++round) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, churn, 0);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  }
  setitimer(ITIMER_REAL, &never, 0);
  return counter == 4 * 3000 * 10 ? 0 : 1;
}
