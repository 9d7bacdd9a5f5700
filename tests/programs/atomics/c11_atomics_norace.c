// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// C11 <stdatomic.h>: release and acquire by generic functions, and the default order of plain
// operators.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int explicit_flag;
static _Atomic long implicit_flag;
static int first, second;

static void* writer(void* unused) {
  first = 1;
  atomic_store_explicit(&explicit_flag, 1, memory_order_release);
  second = 2;
  implicit_flag = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  while (!atomic_load_explicit(&explicit_flag, memory_order_acquire)) sched_yield();
  int sum = first;
  while (!implicit_flag) sched_yield();
  sum += second;
  pthread_join(thread, 0);
  return sum == 3 ? 0 : 1;
}
