// RUN: %clang %s %support -o %t
// RUN: %run_clean %t
// TSAN: crashes: it does not know the thread that the C library makes

// A timer that expires in a thread which the C library makes: it comes after the arming, and nobody
// is expected to join it.
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "script.h"

static int value;
static pid_t thread;
static sem_t expired;

static void expire(union sigval argument) {
  keep(argument.sival_int);
  value = 2;
  thread = (pid_t)syscall(SYS_gettid);
  sem_post(&expired);
}

int main(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expire};
  struct itimerspec soon = {.it_value.tv_nsec = 1};
  timer_t timer;
  sem_init(&expired, 0, 0);
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  value = 1;
  timer_settime(timer, 0, &soon, 0);
  sem_wait(&expired);
  value = 3;
  // Until the thread has ended: only then could it be missed by a join.
  char task[64];
  snprintf(task, sizeof task, "/proc/self/task/%d", (int)thread);
  while (access(task, F_OK) == 0) {
  }
  timer_delete(timer);
}
