#include "runtime/base/spin_lock.h"

#include "runtime/sys/sys.h"

namespace bigfoot::rt {

void SpinLock::lock_slow() {
  // Critical sections are a few dozen instructions; 100 pauses outlast nearly all of them, and on a
  // machine with fewer cores than threads the holder may be preempted, so then sleep.
  for (int i = 0; i < 100; ++i) {
    cpu_pause();
    u32 free = kFree;
    if (load_relaxed(&state_) == kFree && compare_exchange(&state_, free, kHeld)) return;
  }
  while (exchange(&state_, kWaited) != kFree) sys::futex_wait(&state_, kWaited);
}

void SpinLock::wake() { sys::futex_wake(&state_, 1); }

}  // namespace bigfoot::rt
