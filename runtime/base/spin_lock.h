// A lock the program cannot see: spins briefly, then sleeps in the kernel. Never held across a call
// into the program or its libraries.
//
// Letting go is a plain store unless somebody is seen to sleep: a locked instruction costs 6 to 7
// ns on some machines, as much as all else that most holders do. It is a release and no full
// barrier. A thread that goes to sleep between the look and the store is not woken; it looks again
// by itself after a while (kNap in spin_lock.cpp).
#pragma once

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "runtime/base/types.h"

namespace bigfoot::rt {

class SpinLock {
 public:
  constexpr SpinLock() = default;
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  void lock() {
    u32 free = kFree;
    if (!compare_exchange(&state_, free, kHeld)) lock_slow();
  }
  bool try_lock() {
    u32 free = kFree;
    return compare_exchange(&state_, free, kHeld);
  }
  void unlock() {
    if (BF_LIKELY(load_relaxed(&state_) == kHeld)) return store_release(&state_, kFree);
    unlock_slow();
  }
  // In the child of fork: the thread that held it does not exist any more.
  void reset_after_fork() { store_relaxed(&state_, kFree); }

 private:
  static constexpr u32 kFree = 0, kHeld = 1, kWaited = 2;
  void lock_slow();
  void unlock_slow();
  u32 state_ = kFree;
};

class SpinGuard {
 public:
  explicit SpinGuard(SpinLock& l) : lock_(l) { lock_.lock(); }
  ~SpinGuard() { lock_.unlock(); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace bigfoot::rt
