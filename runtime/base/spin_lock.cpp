#include "runtime/base/spin_lock.h"

#include "runtime/sys/sys.h"

namespace bigfoot::rt {
namespace {
// How long one may sleep whom unlock() has not seen: its holder was interrupted between two
// instructions, which is rare enough for the wait not to matter.
constexpr u64 kNap = 1'000'000;  // ns
}  // namespace

void SpinLock::lock_slow() {
  // Critical sections are a few dozen instructions; 100 pauses outlast nearly all of them, and on a
  // machine with fewer cores than threads the holder may be preempted, so then sleep.
  for (int i = 0; i < 100; ++i) {
    cpu_pause();
    u32 free = kFree;
    if (load_relaxed(&state_) == kFree && compare_exchange(&state_, free, kHeld)) return;
  }
  while (exchange(&state_, kWaited) != kFree) sys::futex_wait(&state_, kWaited, kNap);
}

void SpinLock::unlock_slow() {
  store_release(&state_, kFree);
  sys::futex_wake(&state_, 1);
}

}  // namespace bigfoot::rt
