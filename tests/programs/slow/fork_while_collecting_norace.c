// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Forks from a process that creates and detaches threads all the time, so that what has ended is collected every few
// thousand of them. A collection goes over tables with locks of their own: a child that is made in the middle of one
// must not find any of these taken. A child that hangs is ended by the checker.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kForks = 300 };
static atomic_int stop, ended;

static void* leave(void* block) {
  *(int*)block = 1;
  atomic_fetch_add(&ended, 1);
  return 0;
}

static void* make_threads(void* nothing) {
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  int made = 0;
  for (; !atomic_load(&stop); ++made) {
    pthread_t thread;
    while (pthread_create(&thread, &detached, leave, malloc(4)) != 0) sched_yield();
  }
  while (atomic_load(&ended) != made) sched_yield();
  return nothing;
}

int main(void) {
  pthread_t maker;
  pthread_create(&maker, 0, make_threads, 0);
  int failed = 0;
  for (int i = 0; i < kForks; ++i) {
    int status;
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, &status, 0);
    failed |= status;
  }
  atomic_store(&stop, 1);
  pthread_join(maker, 0);
  return failed;
}
