// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// C11 <stdatomic.h> with relaxed orders.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "script.h"

static atomic_int flag;
static int data;

static void* writer(void* unused) {
  data = 1;  // RACE: write 4
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&data);
  pthread_create(&thread, 0, writer, 0);
  while (!atomic_load_explicit(&flag, memory_order_relaxed)) sched_yield();
  keep(data);  // RACE: read 4
  pthread_join(thread, 0);
}
