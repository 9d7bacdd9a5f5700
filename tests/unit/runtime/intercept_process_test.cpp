// The ends of the process, fork, functions run at exit, and the annotations.
#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "runtime/sys/sys.h"
#include "tests/unit/runtime/recorded_events.h"

namespace bigfoot::rt::testing {
namespace {

using Events = std::vector<std::string>;

// Runs `body` in a child process while recording; returns what waitpid says.
template <class F>
int status_of_child(F body) {
  pid_t pid = fork();
  if (pid == 0) {
    new Recording;
    body();
    ::abort();
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return status;
}
template <class F>
int exit_code_of_child(F body) {
  int status = status_of_child(body);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

// The recorded core adds kExitCodeOffset to the exit code that the program wanted.
TEST(InterceptProcess, EveryEndAsksTheCoreForTheExitCode) {
  Recording start;  // registers with exit, once per process, before the children are made
  EXPECT_EQ(exit_code_of_child([] { exit(2); }), 2 + kExitCodeOffset);
  EXPECT_EQ(exit_code_of_child([] { _exit(3); }), 3 + kExitCodeOffset);
  EXPECT_EQ(exit_code_of_child([] { _Exit(4); }), 4 + kExitCodeOffset);
  EXPECT_EQ(exit_code_of_child([] { quick_exit(5); }), 5 + kExitCodeOffset);
  int status = status_of_child([] { abort(); });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
}

TEST(InterceptProcess, OutputIsNotLostWhenTheExitCodeChanges) {
  Recording start;
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  exit_code_of_child([&] {
    dup2(fds[1], 1);
    std::setvbuf(stdout, nullptr, _IOFBF, 4096);
    std::fputs("the last words", stdout);
    exit(0);
  });
  close(fds[1]);
  char text[64] = {};
  EXPECT_GT(read(fds[0], text, sizeof text - 1), 0);
  EXPECT_STREQ(text, "the last words");
  close(fds[0]);
}

Recording* child_recording;

TEST(InterceptProcess, RegistrationIsBeforeTheRunAtExit) {
  Recording start;
  int code = exit_code_of_child([] {
    child_recording = new Recording;  // empty; outlives every handler
    on_exit(
        [](int status, void* argument) {
          Events released = child_recording->named("release");
          Events acquired = child_recording->named("acquire");
          bool ordered = released.size() == 2 && acquired.size() == 2 &&
                         acquired[1] == released[0] && acquired[0] == released[1];
          bool arguments = status == 1 && argument == &child_recording;
          sys::exit_process(ordered && arguments ? 7 : 8);
        },
        &child_recording);
    atexit([] { asm volatile(""); });  // an empty function would not be registered at all
    exit(1);
  });
  EXPECT_EQ(code, 7);
}

TEST(InterceptFork, TheCoreIsToldRightAroundTheForkOutsideOfTheProgramsHandlers) {
  static Recording* r;
  static bool told_early = false, told_late = false;
  Recording recording;
  r = &recording;
  // Handlers stay for ever; they look only while this test runs.
  pthread_atfork([] { told_early = r != nullptr && r->count("process_forking") != 0; },
                 [] { told_late = r != nullptr && r->count("process_forked_parent") != 0; },
                 nullptr);
  pid_t pid = fork();
  if (pid == 0)
    sys::exit_process(r->count("process_forking") == 1 && r->count("process_forked_child") == 1 &&
                              r->count("process_forked_parent") == 0
                          ? 0
                          : 1);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(told_early) << "the program's prepare handlers run before the run time is locked";
  EXPECT_TRUE(told_late) << "and its parent handlers after it is unlocked";
  EXPECT_EQ(r->count("process_forked_parent"), 1u);
  EXPECT_EQ(r->count("process_forked_child"), 0u);
  r = nullptr;
}

TEST(InterceptFork, AVforkedChildDoesNotTouchTheParentsMemory) {
  Recording recording;
  volatile int value = 1;
  pid_t pid = vfork();
  if (pid == 0) {
    value = 2;
    sys::exit_process(0);
  }
  waitpid(pid, nullptr, 0);
  EXPECT_EQ(value, 1);
}

// --- annotations
// --------------------------------------------------------------------------------------

extern "C" {
void __tsan_acquire(void*);
void __tsan_release(void*);
void __tsan_mutex_create(void*, unsigned);
void __tsan_mutex_destroy(void*, unsigned);
void __tsan_mutex_pre_lock(void*, unsigned);
void __tsan_mutex_post_lock(void*, unsigned, int);
int __tsan_mutex_pre_unlock(void*, unsigned);
void __tsan_mutex_post_unlock(void*, unsigned);
void* __tsan_create_fiber(unsigned);
void __tsan_destroy_fiber(void*);
void __tsan_switch_to_fiber(void*, unsigned);
void __tsan_set_fiber_name(void*, const char*);
void* __tsan_get_current_fiber();
void __tsan_external_read(void*, void*, void*);
void __tsan_external_write(void*, void*, void*);
void AnnotateHappensBefore(const char*, int, const volatile void*);
void AnnotateHappensAfter(const char*, int, const volatile void*);
void AnnotateRWLockCreate(const char*, int, const volatile void*);
void AnnotateRWLockAcquired(const char*, int, const volatile void*, long);
void AnnotateRWLockReleased(const char*, int, const volatile void*, long);
void AnnotateRWLockDestroy(const char*, int, const volatile void*);
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
}

TEST(Annotations, AnOwnLockWithItsCodeIgnored) {
  char m = 0;
  Recording r;
  __tsan_mutex_create(&m, 1 << 1);
  __tsan_mutex_pre_lock(&m, 0);
  __tsan_mutex_post_lock(&m, 0, 0);
  __tsan_mutex_pre_unlock(&m, 0);
  __tsan_mutex_post_unlock(&m, 0);
  __tsan_mutex_pre_lock(&m, 1 << 3);
  __tsan_mutex_post_lock(&m, 1 << 3, 0);
  EXPECT_EQ(__tsan_mutex_pre_unlock(&m, 1 << 7), 3) << "how often it was held, for the way back";
  __tsan_mutex_post_unlock(&m, 1 << 7);
  __tsan_mutex_pre_lock(&m, 1 << 6);
  __tsan_mutex_post_lock(&m, 1 << 6, 3);
  __tsan_mutex_pre_lock(&m, 1 << 4);
  __tsan_mutex_post_lock(&m, 1 << 4 | 1 << 5, 0);  // try, failed
  __tsan_mutex_destroy(&m, 0);
  EXPECT_EQ(r.on(&m), (Events{"T0 mutex_created recursive", "T0 mutex_locked write",
                              "T0 mutex_unlocking", "T0 mutex_locked read", "T0 mutex_release_all",
                              "T0 mutex_reacquire 3", "T0 mutex_destroyed"}));
  EXPECT_EQ(r.count("ignore_accesses_begin"), 6u);
  EXPECT_EQ(r.count("ignore_accesses_end"), 6u);
  EXPECT_EQ(r.count("ignore_sync_begin"), r.count("ignore_sync_end"));
}

TEST(Annotations, EdgesAndObjects) {
  char o = 0;
  Recording r;
  __tsan_release(&o);
  __tsan_acquire(&o);
  AnnotateHappensBefore("", 0, &o);
  AnnotateHappensAfter("", 0, &o);
  __tsan_external_write(&o, nullptr, nullptr);
  __tsan_external_read(&o, nullptr, nullptr);
  EXPECT_EQ(r.on(&o), (Events{"T0 release", "T0 acquire", "T0 release", "T0 acquire",
                              "T0 access write", "T0 access read"}));
}

TEST(Annotations, DynamicLocksAndIgnoring) {
  char l = 0;
  Recording r;
  AnnotateRWLockCreate("", 0, &l);
  AnnotateRWLockAcquired("", 0, &l, 1);
  AnnotateRWLockReleased("", 0, &l, 1);
  AnnotateRWLockAcquired("", 0, &l, 0);
  AnnotateRWLockReleased("", 0, &l, 0);
  AnnotateRWLockDestroy("", 0, &l);
  AnnotateIgnoreReadsBegin("", 0);
  AnnotateIgnoreReadsEnd("", 0);
  EXPECT_EQ(r.on(&l), (Events{"T0 mutex_created", "T0 mutex_locked write", "T0 mutex_unlocking",
                              "T0 mutex_locked read", "T0 mutex_unlocking", "T0 mutex_destroyed"}));
  EXPECT_EQ(r.on(nullptr), (Events{"T0 ignore_accesses_begin", "T0 ignore_accesses_end"}));
}

TEST(Annotations, Fibers) {
  Recording r;
  void* f = __tsan_create_fiber(0);
  __tsan_set_fiber_name(f, "green");
  __tsan_switch_to_fiber(f, 0);
  __tsan_switch_to_fiber(__tsan_get_current_fiber(), 1);
  __tsan_destroy_fiber(f);
  EXPECT_EQ(r.on(f), (Events{"T0 fiber_create", "T0 fiber_named green", "T0 fiber_switch",
                             "T0 fiber_destroy"}));
  EXPECT_EQ(r.count("fiber_switch unordered"), 1u);
}

}  // namespace
}  // namespace bigfoot::rt::testing
