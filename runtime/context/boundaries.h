// Where a stretch of a thread's program without synchronisation ends.
//
// Called at everything that orders the thread before or after others, before its clock changes:
// what it has accessed since the last such point is told to those who have put that off. REQUIRES:
// no lock of the run time is held, for they may report.
#pragma once

#include "runtime/context/arrays.h"
#include "runtime/context/verify.h"

namespace bigfoot::rt {

// Others may learn what this thread did.
inline void before_release(Thread& t) {
  commit_footprints(t);
  verify_releasing(t);
}
// This thread is about to learn what others did.
inline void before_acquire(Thread& t) {
  commit_footprints(t);
  verify_acquired(t);
}

}  // namespace bigfoot::rt
