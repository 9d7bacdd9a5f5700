// What every thread knows to have happened: no access to come can race with it, whoever makes it.
//
// A thread that is created later starts with what its creator knows, and nobody ever unlearns
// anything; so what is known to all once is so for ever. (A thread that comes from nowhere, by a
// raw clone, starts with nothing; what is ordered before its creation in truth is not held against
// it.)
#pragma once

#include "runtime/context/runtime.h"

namespace bigfoot::rt {

class KnownToAll {
 public:
  // Stops all other threads for a moment and looks at their clocks. False if that is not possible
  // now: a thread has been created that has not started yet, or there are fibers that do not run.
  // REQUIRES: no lock of the run time is held.
  bool look(const Thread& me);

  // Whether everything the cell tells of is known to all, as of the last look.
  bool contains(const Cell& c) const;

  void release_storage() { least_.release_storage(); }

 private:
  static void see(void* self, Thread& t);
  void add(const Thread& t);
  bool contains(Stamp s) const;

  VectorClock least_;  // of each slot, the time that everybody else knows of
  u32 seen_ = 0;       // threads
};

}  // namespace bigfoot::rt
