// Atomic operations as synchronisation and as accesses.
//
// The real operation runs under the lock of its object, so that clocks follow the modification
// order. The orders mean what C++20 says:
//   load    acquire: learns what the location holds; relaxed: an acquire fence later will
//   store   release: what the location holds becomes what this thread knows; relaxed: what it knew
//   at
//           its last release fence. Either way earlier releases are gone: a plain store by the same
//           thread no longer continues a release sequence since C++20
//   rmw     continues the release sequence: adds to what the location holds
//   fence   release: remembers what the thread knows; acquire: learns what relaxed loads have seen
// seq_cst adds no happens-before beyond acquire and release.
//
// As accesses, atomics conflict with plain ones only.
#pragma once

#include "runtime/context/events.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/sync_ops.h"

namespace bigfoot::rt {

enum class Order : int { kRelaxed = 0, kConsume, kAcquire, kRelease, kAcqRel, kSeqCst };
constexpr bool acquires(Order o) {
  return o == Order::kConsume || o == Order::kAcquire || o == Order::kAcqRel || o == Order::kSeqCst;
}
constexpr bool releases(Order o) {
  return o == Order::kRelease || o == Order::kAcqRel || o == Order::kSeqCst;
}

// What the real operation did.
struct AtomicEffect {
  bool read;
  bool wrote;
  Order order;  // the one that applies (a failed compare-exchange has its own)
};

void atomic_fence(Thread& t, Order order);
// After the real operation, under the object's lock.
void atomic_done(Thread& t, SyncVar& v, ByteRange bytes, const AtomicEffect& effect, Pc pc);

// Performs `op`, which returns an AtomicEffect, on the atomic at `bytes`.
template <class Op>
inline void atomic_access(ByteRange bytes, Pc pc, Op op) {
  if (__bf_thread.stamp == abi::kStampSingle) {
    op();
    return;
  }
  RuntimeScope scope;
  Thread& t = current_thread();
  if (runtime.single || t.ignore_sync != 0 || !shadow::covers(bytes.begin)) {
    op();
    return;
  }
  reclaim_if_needed();
  Observer me = observer(t);
  AccessKind kind = AccessKind::kAtomicRead;
  with_sync_var(bytes.begin, [&](SyncVar& v) {
    AtomicEffect effect = op();
    if (effect.wrote) kind = AccessKind::kAtomicWrite;
    me.stamp = t.stamp;
    atomic_done(t, v, bytes, effect, pc);
  });
  if (t.ignore_accesses != 0) return;
  PendingAccess p{t, bytes, kind, pc};
  conflicts_with_atomic(me, runtime.sets, bytes, kind == AccessKind::kAtomicWrite, race_sink(p));
}

}  // namespace bigfoot::rt
