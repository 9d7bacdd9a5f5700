// The right to change cells: claims that have to be taken from threads that are still in the epoch.
// See shadow/claims.h.
#pragma once

#include "runtime/context/arrays.h"
#include "runtime/context/runtime.h"
#include "runtime/detect/claims.h"

namespace bigfoot::rt {

// Whether blocks are claimed in this process.
void initialise_claims();
// All blocks are shared from now on. REQUIRES: nothing has been claimed yet.
void stop_claiming();

// How often threads were stopped because of a claim.
u64 claim_stops();

// Sees to it that the thread has a right to all blocks of the bytes, and of words that share a
// history with one of them. Others may be stopped and names be collected meanwhile.
// REQUIRES: inside the run time, no lock of it is held; `t` is the calling thread, or the others
// are stopped.
void obtain(Thread& t, ByteRange r);

// Does `access` with the right to all blocks of the bytes. REQUIRES: as obtain().
template <class Access>
inline void with_right(Thread& t, ByteRange r, Access&& access) {
  Stamp mine;
  do {
    mine = t.stamp;  // a listener that is told of a race may synchronise
    obtain(t, r);
    access();
  } while (BF_UNLIKELY(!has_rights(r, mine)));
}

// The same for a range and the one from `to` on, which gets its history.
void obtain_for_transfer(Thread& t, ByteRange from, uptr to, Transferred how);

// Before an object of synchronisation comes to live at `a`. REQUIRES: as obtain().
void share_for_object_slowly(uptr a);
inline void share_for_object(uptr a) {
  if (!shadow::covers(a)) return;  // not every object is in memory: descriptors have numbers
  // A word with the mark is in a shared block, and in no group.
  const Cell* word = shadow::cell_if_present<8>(a);
  if (BF_UNLIKELY(word == nullptr || !load_cell(word).has_sync())) share_for_object_slowly(a);
}
// The blocks at both ends of a range are shared. REQUIRES: no other thread is at work.
void share_ends(ByteRange r);
// Those of a range that has no history are nobody's: it becomes an array, and a block that an epoch
// has claimed is in none. REQUIRES: no other thread is at work.
void give_up_claims(ByteRange r);

}  // namespace bigfoot::rt
