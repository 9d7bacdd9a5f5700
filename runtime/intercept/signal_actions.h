// What the program wants done with each signal, while the kernel has our function for all of them.
//
// Read in signal handlers, so without locks: each entry has a sequence number that is odd while it
// changes. A writer keeps all signals blocked on its thread, so that no reader waits for itself.
#pragma once

#include <signal.h>

#include "runtime/base/atomic.h"
#include "runtime/base/spin_lock.h"

namespace bigfoot::rt::intercept {

// The part of struct sigaction that outlives the call; the mask is the kernel's 64 bits.
struct SignalAction {
  uptr handler = 0;  // SIG_DFL
  u64 mask = 0;
  int flags = 0;
  bool is_function() const { return handler > 1; }  // neither SIG_DFL nor SIG_IGN
};

inline constexpr int kSignalCount = 65;  // 1 to 64

class SignalActions {
 public:
  SignalAction get(int signal) const {
    const Entry& e = entries_[signal];
    for (;;) {
      u32 before = load_acquire(&e.sequence);
      SignalAction a{load_relaxed(&e.handler), load_relaxed(&e.mask), load_relaxed(&e.flags)};
      __atomic_thread_fence(__ATOMIC_ACQUIRE);
      if (before % 2 == 0 && load_relaxed(&e.sequence) == before) return a;
      cpu_pause();
    }
  }
  // REQUIRES: the calling thread has all signals blocked.
  void set(int signal, const SignalAction& a) {
    SpinGuard guard(lock_);
    Entry& e = entries_[signal];
    store_relaxed(&e.sequence, e.sequence + 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    store_relaxed(&e.handler, a.handler);
    store_relaxed(&e.mask, a.mask);
    store_relaxed(&e.flags, a.flags);
    store_release(&e.sequence, e.sequence + 1);
  }
  // SA_RESETHAND, in the handler itself: one word is enough and no lock may be taken.
  void reset_handler(int signal) { store_relaxed(&entries_[signal].handler, uptr{0}); }
  // The address that stands for the signal in happens-before edges.
  uptr object(int signal) const { return reinterpret_cast<uptr>(&entries_[signal]); }

 private:
  struct Entry {
    u32 sequence;
    int flags;
    uptr handler;
    u64 mask;
  };
  SpinLock lock_;
  Entry entries_[kSignalCount] = {};
};

}  // namespace bigfoot::rt::intercept
