// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without
// RUN: %run_unmarked %t.without

// The allocator's lock happens to come between the two writes of the program. Without untracked
// synchronisation it seems to order them, and the race is missed.
#include <bigfoot/lard.h>
#include <pthread.h>

#include "script.h"
#include "spawn.h"

pthread_mutex_t allocator_lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

void allocate() {
#ifndef WITHOUT
  bigfoot::lard::Untracked region(BF_LARD_SYNC);
#endif
  pthread_mutex_lock(&allocator_lock);
  pthread_mutex_unlock(&allocator_lock);
}

int main() {
  run_threads(
      [] {
        shared = 1;  // RACE: write 4
        allocate();
        script_post(0);
      },
      [] {
        script_wait(0);
        allocate();
        shared = 2;  // RACE: write 4
      });
}
