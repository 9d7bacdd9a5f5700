// REQUIRES: bigfoot
// RUN: %clang --detector=fasttrack %s %support -o %t
// RUN: %run_clean %t

// A thread waits for a handler, and all that it does meanwhile is to read words that it has divided
// itself: nothing is to be recorded, but a signal that comes while a check looks at that is delivered.
// (fasttrack, so that the check stays in the loop.)
#include <pthread.h>
#include <signal.h>

#include "script.h"

enum { kRounds = 1000 };
static _Alignas(64) volatile char page[64];
static _Alignas(64) volatile sig_atomic_t came;
static pthread_t waiter;

static void on_signal(int number) {
  (void)number;
  came = 1;
}

static void* send(void* argument) {
  for (int i = 1; i <= kRounds; ++i) {
    script_wait_for(0, i);
    pthread_kill(waiter, SIGUSR1);
  }
  return argument;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  waiter = pthread_self();
  sigaction(SIGUSR1, &action, 0);
  pthread_t sender;
  pthread_create(&sender, 0, send, 0);
  for (int i = 0; i < 64; ++i) page[i] = 1;  // in this epoch: from here on nothing is released
  for (int round = 0; round < kRounds; ++round) {
    came = 0;
    script_post(0);
    // For ever, if it is kept back: then the run is not finished in time.
    for (int i = 0; !came; i = (i + 1) % 16) (void)*(volatile int*)(page + 4 * i);
  }
  pthread_join(sender, 0);
  return 0;
}
