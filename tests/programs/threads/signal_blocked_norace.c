// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// A thread that waits in sigwait while all others block the signal: the usual signal thread.
#include <pthread.h>
#include <signal.h>

static int handled;

static void* signal_thread(void* set) {
  int number;
  sigwait(set, &number);
  handled = number;
  return 0;
}

int main(void) {
  pthread_t thread;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  pthread_create(&thread, 0, signal_thread, &set);
  pthread_kill(thread, SIGUSR2);
  pthread_join(thread, 0);
  return handled == SIGUSR2 ? 0 : 1;
}
