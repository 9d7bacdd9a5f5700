// Another schedule for every seed (option perturb): delays and yields where schedules differ, at
// synchronisation and before checks that leave the inlined test.
//
// Each thread draws from its own sequence, made from the seed and the thread's number, so a seed
// makes the same choices in every run; what the system's scheduler makes of them is its own. A
// delay costs the program time and nothing else: no order is added or removed.
#pragma once

#include "runtime/context/runtime.h"

namespace bigfoot::rt {

enum class PerturbPoint : u8 { kThreadStart, kSynchronisation, kAccess, kTried };

// REQUIRES: no lock of the run time is held.
void perturb_now(Thread& t, PerturbPoint point);

inline void perturb(Thread& t, PerturbPoint point) {
  if (BF_UNLIKELY(runtime.perturb_seed != 0)) perturb_now(t, point);
}

}  // namespace bigfoot::rt
