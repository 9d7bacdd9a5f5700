// Signals: the program's handlers run as they would without us, except that none runs while its
// thread is inside the run time, whose locks the handler's own events need.
//
// A signal that comes at such a moment is kept with its siginfo and context, and the thread returns
// to the run time with all signals blocked, so that the kernel holds back (and queues) the rest:
// one place per thread is enough and nothing is lost. On leaving the run time the handler runs with
// the mask it would have had, then the mask of the interrupted code comes back. What such a handler
// writes to the registers in its ucontext has no effect; the signal mask there is honoured.
//
// Signals the thread caused itself (a fault, an illegal instruction) cannot wait and never do.
//
// Edges: who installs a handler or sends a signal is before the handler's run.
#include <errno.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>
#include <ucontext.h>

#include "runtime/base/string.h"
#include "runtime/context/verify.h"
#include "runtime/intercept/faults.h"
#include "runtime/intercept/hold_signals.h"
#include "runtime/intercept/interceptor.h"
#include "runtime/intercept/signal_actions.h"

namespace bigfoot::rt::intercept {

constinit thread_local SignalHold signal_hold = {};

namespace {

constinit SignalActions actions;

// The kernel's context ends with 64 bits of mask; the C library's type is larger.
constexpr usize kContextBytes = offsetof(ucontext_t, uc_sigmask) + sizeof(u64);
u64& mask_of(void* context) {
  return *reinterpret_cast<u64*>(static_cast<char*>(context) + offsetof(ucontext_t, uc_sigmask));
}

constexpr u64 bit(int signal) {
  return u64{1} << (signal - 1);
}
constexpr u64 kSynchronous =
    bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) | bit(SIGTRAP) | bit(SIGSYS);
// 32 and 33 are the C library's own: cancellation and setuid need them.
constexpr u64 kNeverHeldBack = kSynchronous | bit(32) | bit(33);

struct WaitingSignal {
  int signal;
  SignalAction action;
  siginfo_t info;
  alignas(16) char context[kContextBytes];
};
[[gnu::tls_model("initial-exec")]] constinit thread_local WaitingSignal waiting = {};

bool thread_is_busy() {
  if (watching.over) return false;
  return signal_hold.depth != 0 || watching.unwatched_depth != 0 || inside_runtime();
}

bool caused_by_thread_itself(int signal, const siginfo_t* info) {
  return (kSynchronous & bit(signal)) != 0 && info->si_code > 0;
}

void set_mask(u64 mask) {
  sigset_t set;
  zero_bytes(&set, sizeof set);
  copy_bytes(&set, &mask, sizeof mask);
  pthread_sigmask(SIG_SETMASK, &set, nullptr);
}

// The function that was interrupted may be about to push a mark and a frame on the shadow call
// stack: it has written them but not yet moved the pointer. The handler's frames go to the same
// place.
class KeepUnfinishedFrame {
 public:
  KeepUnfinishedFrame() : at_(__bf_thread.frame) {
    if (at_ == nullptr) return;
    unfinished_[0] = at_[1];
    unfinished_[1] = at_[2];
  }
  ~KeepUnfinishedFrame() {
    if (at_ == nullptr) return;
    at_[1] = unfinished_[0];
    at_[2] = unfinished_[1];
    __bf_thread.frame = at_;
  }

 private:
  abi::Frame* at_;
  abi::Frame unfinished_[2] = {};
};

class VerifiedApart {
 public:
  VerifiedApart() : interrupted_(verify_handler_begins()) {}
  ~VerifiedApart() { verify_handler_ends(interrupted_); }

 private:
  verify::Trace* interrupted_;
};

void run_handler(const SignalAction& a, int signal, siginfo_t* info, void* context) {
  KeepUnfinishedFrame keep;
  VerifiedApart apart;
  SettledBytesApart remembers_nothing;
  if (const Call call(0); call) acquire(call.thread(), actions.object(signal), 0);
  if ((a.flags & SA_SIGINFO) != 0)
    reinterpret_cast<void (*)(int, siginfo_t*, void*)>(a.handler)(signal, info, context);
  else
    reinterpret_cast<void (*)(int)>(a.handler)(signal);
}

void keep_for_later(const SignalAction& a, int signal, siginfo_t* info, void* context) {
  waiting.signal = signal;
  waiting.action = a;
  waiting.info = *info;
  copy_bytes(waiting.context, context, kContextBytes);
  // The saved floating-point state will be gone when the handler looks at it.
  reinterpret_cast<ucontext_t*>(waiting.context)->uc_mcontext.fpregs = nullptr;
  mask_of(context) = ~kNeverHeldBack;
  signal_hold.pending = true;
  __bf_thread.signal_pending = 1;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  SignalAction a = actions.get(signal);
  if (!a.is_function()) return;  // another thread has just taken the handler away
  if ((a.flags & SA_RESETHAND) != 0) actions.reset_handler(signal);
  if (thread_is_busy() && !caused_by_thread_itself(signal, info))
    return keep_for_later(a, signal, info, context);
  run_handler(a, signal, info, context);
}

}  // namespace
}  // namespace bigfoot::rt::intercept

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

void bigfoot::rt::deliver_pending_signals() {
  if (BF_LIKELY(!signal_hold.pending) || thread_is_busy()) return;
  WaitingSignal w = waiting;
  signal_hold.pending = false;
  __bf_thread.signal_pending = 0;
  const int saved_errno = errno;
  u64 own = (w.action.flags & SA_NODEFER) != 0 ? 0 : bit(w.signal);
  set_mask(mask_of(w.context) | w.action.mask | own);
  run_handler(w.action, w.signal, &w.info, w.context);
  errno = saved_errno;
  set_mask(mask_of(w.context));
}

// --- installing ----------------------------------------------------------------------------------

BF_REAL(int, sigaction, (int, const struct sigaction*, struct sigaction*))

namespace {

SignalAction from_program(const struct sigaction& a) {
  SignalAction r;
  r.handler = address_of(reinterpret_cast<void*>(a.sa_sigaction));
  r.flags = a.sa_flags;
  copy_bytes(&r.mask, &a.sa_mask, sizeof r.mask);
  return r;
}

void to_program(const SignalAction& a, struct sigaction& out) {
  out.sa_sigaction = reinterpret_cast<void (*)(int, siginfo_t*, void*)>(a.handler);
  out.sa_flags = a.flags;
  zero_bytes(&out.sa_mask, sizeof out.sa_mask);
  copy_bytes(&out.sa_mask, &a.mask, sizeof a.mask);
}

// What the program may see of an action that was the kernel's.
void show_to_program(const SignalAction& known, struct sigaction& a) {
  if (known.is_function()) return to_program(known, a);
  if (is_fault_action(a)) a = {};
}

class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

int change_action(const Call& call, int signal, const struct sigaction* wanted,
                  struct sigaction* old) {
  AllSignalsBlocked blocked;
  const SignalAction before = actions.get(signal);
  if (wanted == nullptr) {
    int result = real_sigaction(signal, nullptr, old);
    if (result == 0) show_to_program(before, *old);
    return result;
  }
  const SignalAction after = from_program(*wanted);
  struct sigaction ours = *wanted;
  if (after.is_function()) {
    ours.sa_sigaction = on_signal;
    ours.sa_flags |= SA_SIGINFO;
  } else if (wanted->sa_handler == SIG_DFL && is_watched_fault(signal)) {
    ours = fault_action();
  }
  if (call) release(call.thread(), actions.object(signal), call.pc());
  // First the table: the kernel may call on_signal on another thread at once.
  actions.set(signal, after);
  struct sigaction kernel_old;
  int result = real_sigaction(signal, &ours, &kernel_old);
  if (result != 0) {
    actions.set(signal, before);
    return result;
  }
  if (old == nullptr) return 0;
  *old = kernel_old;
  show_to_program(before, *old);
  return 0;
}

bool can_have_handler(int signal) {
  return signal > 0 && signal < kSignalCount;
}

using Handler = void (*)(int);
Handler change_handler(const Call& call, int signal, Handler handler, int flags) {
  struct sigaction wanted = {}, old = {};
  wanted.sa_handler = handler;
  wanted.sa_flags = flags;
  if (!can_have_handler(signal)) {
    errno = EINVAL;
    return SIG_ERR;
  }
  return change_action(call, signal, &wanted, &old) == 0 ? old.sa_handler : SIG_ERR;
}

}  // namespace

BF_DEFINE(int, sigaction, (int signal, const struct sigaction* wanted, struct sigaction* old)) {
  if (!can_have_handler(signal) || (wanted == nullptr && old == nullptr))
    return real_sigaction(signal, wanted, old);
  return change_action(Call(BF_PC()), signal, wanted, old);
}
BF_DEFINE(Handler, signal, (int signal, Handler handler)) {
  return change_handler(Call(BF_PC()), signal, handler, SA_RESTART);
}
BF_DEFINE(Handler, bsd_signal, (int signal, Handler handler)) {
  return change_handler(Call(BF_PC()), signal, handler, SA_RESTART);
}
BF_DEFINE(Handler, __sysv_signal, (int signal, Handler handler)) {
  return change_handler(Call(BF_PC()), signal, handler, SA_RESETHAND | SA_NODEFER);
}

// --- sending and waiting -------------------------------------------------------------------------

namespace {
void sending(const Call& call, int signal) {
  if (call && can_have_handler(signal)) release(call.thread(), actions.object(signal), call.pc());
}
int received(const Call& call, int signal) {
  if (call && can_have_handler(signal)) acquire(call.thread(), actions.object(signal), call.pc());
  return signal;
}
}  // namespace

BF_INTERCEPTOR(int, kill, pid_t process, int signal) {
  sending(Call(BF_PC()), signal);
  return real_kill(process, signal);
}
BF_INTERCEPTOR(int, tgkill, pid_t process, pid_t thread, int signal) {
  sending(Call(BF_PC()), signal);
  return real_tgkill(process, thread, signal);
}
BF_INTERCEPTOR(int, pthread_kill, pthread_t thread, int signal) {
  sending(Call(BF_PC()), signal);
  return real_pthread_kill(thread, signal);
}
BF_INTERCEPTOR(int, sigqueue, pid_t process, int signal, sigval value) {
  sending(Call(BF_PC()), signal);
  return real_sigqueue(process, signal, value);
}
BF_INTERCEPTOR(int, pthread_sigqueue, pthread_t thread, int signal, sigval value) {
  sending(Call(BF_PC()), signal);
  return real_pthread_sigqueue(thread, signal, value);
}
BF_INTERCEPTOR(int, sigwait, const sigset_t* set, int* signal) {
  const Call call(BF_PC());
  int result = real_sigwait(set, signal);
  if (result == 0) received(call, *signal);
  return result;
}
BF_INTERCEPTOR(int, sigwaitinfo, const sigset_t* set, siginfo_t* info) {
  const Call call(BF_PC());
  return received(call, real_sigwaitinfo(set, info));
}
BF_INTERCEPTOR(int, sigtimedwait, const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  const Call call(BF_PC());
  return received(call, real_sigtimedwait(set, info, timeout));
}
