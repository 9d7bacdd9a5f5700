// Signals: handlers run as without us, but never while their thread is inside the run time.
#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/unit/runtime/recorded_events.h"

namespace bigfoot::rt::testing {
namespace {

volatile sig_atomic_t runs;
volatile int seen_value;
sigset_t seen_mask;

void count(int) {
  runs = runs + 1;
}
void count_info(int, siginfo_t* info, void*) {
  runs = runs + 1;
  seen_value = info->si_value.sival_int;
  pthread_sigmask(SIG_BLOCK, nullptr, &seen_mask);
}

bool blocked(int signal) {
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, nullptr, &now);
  return sigismember(&now, signal) == 1;
}

class InterceptSignals : public ::testing::Test {
 protected:
  void SetUp() override { runs = 0; }
  void TearDown() override {
    for (int s : {SIGUSR1, SIGUSR2, SIGSEGV}) signal(s, SIG_DFL);
  }
  static void install(int signal, void (*f)(int, siginfo_t*, void*), int flags = 0) {
    struct sigaction a = {};
    a.sa_sigaction = f;
    a.sa_flags = SA_SIGINFO | flags;
    ASSERT_EQ(sigaction(signal, &a, nullptr), 0);
  }
};

TEST_F(InterceptSignals, AHandlerRunsAtOnceOutsideTheRuntime) {
  Recording r;
  signal(SIGUSR1, count);
  raise(SIGUSR1);
  EXPECT_EQ(runs, 1);
}

TEST_F(InterceptSignals, AHandlerWaitsUntilTheRuntimeIsLeft) {
  Recording r;
  signal(SIGUSR1, count);
  {
    InsideRuntime outer;
    {
      InsideRuntime inner;
      raise(SIGUSR1);
    }
    EXPECT_EQ(runs, 0) << "still inside";
  }
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(blocked(SIGUSR1)) << "the mask must be as it was";
  EXPECT_FALSE(blocked(SIGUSR2));
}

TEST_F(InterceptSignals, SiginfoMaskAndErrnoAreRightInADelayedHandler) {
  Recording r;
  struct sigaction a = {};
  a.sa_sigaction = [](int s, siginfo_t* info, void* context) {
    count_info(s, info, context);
    errno = EIO;
  };
  a.sa_flags = SA_SIGINFO;
  sigemptyset(&a.sa_mask);
  sigaddset(&a.sa_mask, SIGUSR2);
  ASSERT_EQ(sigaction(SIGUSR1, &a, nullptr), 0);
  {
    InsideRuntime inside;
    ASSERT_EQ(sigqueue(getpid(), SIGUSR1, {.sival_int = 77}), 0);
    errno = ENOENT;
  }
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(seen_value, 77);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_TRUE(sigismember(&seen_mask, SIGUSR1)) << "blocked while its own handler runs";
  EXPECT_TRUE(sigismember(&seen_mask, SIGUSR2)) << "as sa_mask asks";
  EXPECT_FALSE(sigismember(&seen_mask, SIGTERM));
}

TEST_F(InterceptSignals, SignalsThatComeMeanwhileAreQueuedByTheKernelAndAllRun) {
  Recording r;
  int realtime = SIGRTMIN + 3;
  install(realtime, count_info);
  install(SIGUSR2, count_info);
  {
    InsideRuntime inside;
    for (int i = 0; i < 5; ++i) ASSERT_EQ(sigqueue(getpid(), realtime, {.sival_int = i}), 0);
    raise(SIGUSR2);
    EXPECT_EQ(runs, 0);
  }
  EXPECT_EQ(runs, 6);
  signal(realtime, SIG_DFL);
}

TEST_F(InterceptSignals, AHandlerThatChangesTheMaskInItsContextIsHeard) {
  Recording r;
  install(SIGUSR1, [](int, siginfo_t*, void* context) {
    sigaddset(&static_cast<ucontext_t*>(context)->uc_sigmask, SIGUSR2);
  });
  {
    InsideRuntime inside;
    raise(SIGUSR1);
  }
  EXPECT_TRUE(blocked(SIGUSR2));
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

sigjmp_buf back;
TEST_F(InterceptSignals, AFaultOfTheThreadItselfDoesNotWait) {
  Recording r;
  install(SIGSEGV, [](int, siginfo_t*, void*) { siglongjmp(back, 1); });
  void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  {
    InsideRuntime inside;
    if (sigsetjmp(back, 1) == 0) {
      *static_cast<volatile char*>(page) = 1;
      FAIL() << "no fault";
    }
  }
  munmap(page, 4096);
}

TEST_F(InterceptSignals, ResetAfterTheFirst) {
  Recording r;
  install(SIGUSR1, count_info, SA_RESETHAND);
  {
    InsideRuntime inside;
    raise(SIGUSR1);
  }
  EXPECT_EQ(runs, 1);
  struct sigaction now = {};
  sigaction(SIGUSR1, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

TEST_F(InterceptSignals, TheProgramSeesItsOwnHandlersNotOurs) {
  Recording r;
  EXPECT_EQ(signal(SIGUSR1, count), SIG_DFL);
  EXPECT_EQ(signal(SIGUSR1, SIG_IGN), count);
  EXPECT_EQ(signal(SIGUSR1, SIG_DFL), SIG_IGN);
  install(SIGUSR1, count_info, SA_NODEFER);
  struct sigaction old = {};
  sigaction(SIGUSR1, nullptr, &old);
  EXPECT_EQ(old.sa_sigaction, &count_info);
  EXPECT_EQ(old.sa_flags & (SA_SIGINFO | SA_NODEFER), SA_SIGINFO | SA_NODEFER);
  EXPECT_EQ(signal(1000, count), SIG_ERR);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(signal(SIGKILL, count), SIG_ERR);
}

TEST_F(InterceptSignals, SenderAndInstallerAreBeforeTheHandler) {
  Recording r;
  signal(SIGUSR1, count);
  pthread_kill(pthread_self(), SIGUSR1);
  auto released = r.named("release"), acquired = r.named("acquire");
  ASSERT_EQ(released.size(), 2u);
  EXPECT_EQ(released[0], released[1]) << "one object per signal";
  ASSERT_EQ(acquired.size(), 1u);
  EXPECT_EQ(acquired[0], released[0]);
}

TEST_F(InterceptSignals, WaitingForASignalAcquires) {
  Recording r;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  pthread_kill(pthread_self(), SIGUSR1);
  int got = 0;
  ASSERT_EQ(sigwait(&set, &got), 0);
  EXPECT_EQ(got, SIGUSR1);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  EXPECT_EQ(r.named("acquire"), r.named("release"));
}

}  // namespace
}  // namespace bigfoot::rt::testing
