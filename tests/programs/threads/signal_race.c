// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// A signal handler runs in the thread it interrupts: what it touches conflicts with other threads.
#include <pthread.h>
#include <signal.h>

#include "script.h"

static int events;

static void on_signal(int number) {
  (void)number;
  events = 1;  // RACE: write 4
}

static void* reader(void* unused) {
  keep(events);  // RACE: read 4
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&events);
  signal(SIGUSR1, on_signal);
  pthread_create(&thread, 0, reader, 0);
  raise(SIGUSR1);
  pthread_join(thread, 0);
}
