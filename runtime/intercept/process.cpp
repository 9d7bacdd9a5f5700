// The ends of a process, and fork.
//
// The core decides about the exit code when everything else has run. exit: our on_exit handler is
// the first one registered (before the C library registers the dynamic linker's destructors), so it
// runs last. fork: likewise, prepare handlers run in reverse order of registration and the others
// in order, so that the run time's locks are held only while nothing of the program runs.
#include "runtime/intercept/process.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "runtime/intercept/faults.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/interceptor.h"
#include "runtime/intercept/threads.h"
#include "runtime/sys/sys.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

namespace {

int quick_exit_status = 0;

void at_exit(int status, void*) {
  main_ending();
  int code = process_ending(status);
  if (code == status) return;
  Unwatched unwatched;
  fflush(nullptr);  // what the C library would have done after us
  sys::exit_process(code);
}

void at_quick_exit_handler() {
  sys::exit_process(process_ending(quick_exit_status));
}

void before_fork() {
  Thread& t = current_thread();
  lock_thread_handles();
  process_forking(t);
}
void after_fork_in_parent() {
  process_forked_parent(current_thread());
  unlock_thread_handles();
}
void after_fork_in_child() {
  process_forked_child(current_thread());
  unlock_thread_handles();
}

}  // namespace

void intercept::watch_process() {
  on_exit(at_exit, nullptr);
  at_quick_exit(at_quick_exit_handler);
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

BF_INTERCEPTOR(void, _exit, int status) {
  const Call call(BF_PC());
  real__exit(call ? process_ending(status) : status);
  __builtin_trap();
}
BF_INTERCEPTOR(void, _Exit, int status) {
  const Call call(BF_PC());
  real__Exit(call ? process_ending(status) : status);
  __builtin_trap();
}
BF_INTERCEPTOR(void, quick_exit, int status) {
  quick_exit_status = status;
  real_quick_exit(status);
  __builtin_trap();
}

BF_INTERCEPTOR(void, abort) {
  const Call call(BF_PC());
  if (call) process_ending(128 + 6 /* SIGABRT */);
  last_words_are_said();
  real_abort();
  __builtin_trap();
}

// A failed assert(); the C library then aborts by a way of its own.
BF_INTERCEPTOR(void, __assert_fail, const char* what, const char* file, unsigned line,
               const char* function) {
  const Call call(BF_PC());
  if (call) process_ending(128 + 6);
  last_words_are_said();
  real___assert_fail(what, file, line, function);
  __builtin_trap();
}

void intercept::end_by_abort() {
  process_ending(128 + 6);
  last_words_are_said();
  real_abort();
  __builtin_trap();
}

// A child that shares the parent's memory would run our code on the parent's state. fork is slower
// and otherwise indistinguishable for a correct program.
BF_INTERCEPTOR(pid_t, vfork) {
  return fork();
}
