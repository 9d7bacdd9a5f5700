// The older access of a race, as the report shows it, from what the shadow still tells about it.
//
// A cell speaks of a few bytes, and the access it came from may have begun before them and ended
// after them. How large it was its origin says, always. Where it began follows from any of its
// bytes if it was an instruction's access, which its origin knows the phase of (origin/depot.h). A
// longer range is looked for in the shadow: the bytes around that carry the same epoch and the same
// origin.
#pragma once

#include "runtime/context/runtime.h"
#include "runtime/report/race.h"

namespace bigfoot::rt {

// Who made an access that a cell tells of, and when: what its stamp says now, and may not say
// later.
struct PastAccess {
  ThreadId thread;
  Clock clock;
  Origin origin;
  LocksetId locks;
};
PastAccess past_access(const Conflict& c);

// `piece`: the bytes of the cell that told. The address is exact for accesses of at most
// kMaxPhaseBytes; for longer ranges it is the piece's, and range_begin finds the better one, which
// takes time that only a race that is printed is worth.
report::Access older_access(const PastAccess& past, ByteRange piece);

// The first byte of race.previous, which is longer than kMaxPhaseBytes. Exact if the shadow around
// still tells all of it; if other accesses have replaced its beginning, the end is what counts; if
// both are gone, the result is as near as what is left tells.
uptr range_begin(const report::Race& race);

// To the detector setting a virtual-table pointer is a kind of access; to the reader it is a write.
inline void show_vptr_write(report::Access& a) {
  if (a.kind != AccessKind::kVptrWrite) return;
  a.kind = AccessKind::kWrite;
  a.vptr = true;
}

}  // namespace bigfoot::rt
