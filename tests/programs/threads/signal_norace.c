// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// A handler and the thread it interrupts are one thread. Between threads the handler speaks by
// atomics and by sem_post, which POSIX allows it.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

static int own;
static int payload;
static sem_t arrived;
static atomic_int count;

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number, (void)info, (void)context;
  own += 1;
  payload = 42;
  atomic_fetch_add(&count, 1);
  sem_post(&arrived);
}

static void* receiver(void* unused) {
  sem_wait(&arrived);
  if (payload != 42) return &own;
  return unused;
}

int main(void) {
  pthread_t thread;
  void* failed;
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  sem_init(&arrived, 0, 0);
  sigaction(SIGUSR1, &action, 0);
  own = 1;
  pthread_create(&thread, 0, receiver, 0);
  raise(SIGUSR1);
  own += 1;
  pthread_join(thread, &failed);
  return own == 3 && count == 1 && !failed ? 0 : 1;
}
