// Footprints on their way into the shadows of their arrays, and the races that are found there.
#pragma once

#include "runtime/context/footprints.h"
#include "runtime/context/older_access.h"
#include "runtime/report/race.h"

namespace bigfoot::rt {

// Accesses of one footprint that race with an older access, as many as the part of the array has
// that told. Names nothing that could be gone by the time they are reported.
struct FootprintRaces {
  report::Access current;  // of them all; where each one is follows from the footprint
  Footprint f;             // offsets from `base`
  uptr base;
  RacyPart part;
  PastAccess older;
  uptr older_run;  // where the bytes begin that it left its record on; 0: not known
};

// Found while locks are held or threads stand still; reported after that, one by one.
using Races = Growing<FootprintRaces>;
void deliver(Races& races);

// An array with so many cells that it should be tried whether some can be forgotten.
struct Crowded {
  ArrayRecord* array = nullptr;
  u32 generation = 0;
};

void commit_one(Thread& t, const PlaceFootprint& p, Races& races);
// All footprints of the thread. `crowded` is set if there is such an array. REQUIRES: `t` is the
// calling thread or stopped; it has footprints.
void commit_into(Thread& t, Races& races, Crowded& crowded);

// Footprints of other threads may refer to memory that ends: a race of its own, which is found as
// soon as they are committed. They stand still meanwhile; hooks of the program run after that.
// REQUIRES: no lock of the run time is held.
void commit_others();
// All footprints there are, and then `work(context)`, before any thread goes on. False: the others
// cannot be stopped, and it was not called. REQUIRES: as above; `t` is the calling thread.
bool commit_all_then(Thread& t, void (*work)(void* context), void* context);

// Forgets what every thread knows. REQUIRES: `t` is the calling thread; no lock of the run time is
// held.
void forget_known(const Thread& t, const Crowded& crowded);

}  // namespace bigfoot::rt
