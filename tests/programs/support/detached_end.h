// Waiting for the end of a detached thread, the kernel's thread too, in a way that no detector sees
// and that orders nothing: one thread at a time.
#pragma once

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "script.h"

// Accessed by assembly alone, which is not instrumented.
static long detached_kernel_thread;

// Called last by the thread.
static inline void detached_ends(void) {
  const long self = syscall(SYS_gettid);
  __asm__ volatile("movq %1, %0" : "=m"(detached_kernel_thread) : "r"(self));
}

static inline void wait_for_detached_end(void) {
  long thread = 0;
  while (thread == 0) {
    sched_yield();
    __asm__ volatile("movq %1, %0" : "=r"(thread) : "m"(detached_kernel_thread));
  }
  while (syscall(SYS_tgkill, getpid(), thread, 0) == 0 || errno != ESRCH) sched_yield();
  __asm__ volatile("movq $0, %0" : "=m"(detached_kernel_thread));
}
