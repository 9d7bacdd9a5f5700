#include "runtime/intercept/faults.h"

#include <unistd.h>

#include "runtime/intercept/interceptor.h"
#include "runtime/sys/sys.h"

namespace bigfoot::rt::intercept {

BF_REAL(int, sigaction, (int, const struct sigaction*, struct sigaction*))
BF_REAL(int, kill, (pid_t, int))

namespace {

constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

enum Words : u32 { kUnsaid, kBeingSaid, kSaid };
constinit u32 words = kUnsaid;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool speaking = false;

// Another thread is at it, which takes as long as its reports; but a process that wants to crash
// must not hang.
void wait_for_last_words() {
  constexpr u32 kStep = 1000, kSteps = 10'000;
  for (u32 i = 0; i < kSteps && load_acquire(&words) != kSaid; ++i) sys::sleep_microseconds(kStep);
}

void on_fault(int signal, siginfo_t* info, void*) {
  u32 expected = kUnsaid;
  if (speaking) {
    // The last words themselves have failed.
  } else if (!compare_exchange(&words, expected, u32{kBeingSaid})) {
    wait_for_last_words();
  } else {
    // Not if the thread was inside of the run time: then nothing of it can be relied on.
    speaking = true;
    if (const Call call(0); call) process_ending(128 + signal);
    store_release(&words, u32{kSaid});
  }
  struct sigaction standard = {};
  real_sigaction(signal, &standard, nullptr);
  // What an instruction has caused comes again when it is run again; what was sent is sent again.
  if (info->si_code <= 0) real_kill(getpid(), signal);
}

}  // namespace

struct sigaction fault_action() {
  struct sigaction a = {};
  a.sa_sigaction = on_fault;
  a.sa_flags = SA_SIGINFO;
  return a;
}

bool is_fault_action(const struct sigaction& a) {
  return (a.sa_flags & SA_SIGINFO) != 0 && a.sa_sigaction == on_fault;
}

bool is_watched_fault(int signal) {
  for (int fault : kFaults)
    if (fault == signal) return true;
  return false;
}

void watch_faults() {
  for (int signal : kFaults) {
    struct sigaction now = {};
    // Who has started us may want it ignored.
    if (real_sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    now = fault_action();
    real_sigaction(signal, &now, nullptr);
  }
}

void last_words_are_said() {
  store_release(&words, u32{kSaid});
}

}  // namespace bigfoot::rt::intercept
