// What every thread knows to have happened: no access to come can race with it, whoever makes it.
//
// A thread that is created later starts with what its creator knows, and nobody ever unlearns
// anything; so what is known to all once is so for ever. (A thread that comes from nowhere, by a
// raw clone, starts with nothing; what is ordered before its creation in truth is not held against
// it.)
#pragma once

#include "runtime/array/common_past.h"
#include "runtime/context/thread.h"

namespace bigfoot::rt {

// Stops all other threads for a moment and looks at their clocks. False if that is not possible
// now: a thread has been created that has not started yet, or there are fibers that do not run.
// REQUIRES: `me` is the calling thread; no lock of the run time is held.
bool look_at_all_clocks(const Thread& me, CommonPast& past);

}  // namespace bigfoot::rt
