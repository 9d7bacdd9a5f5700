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
// As accesses, atomics conflict with plain ones only. While races stop (on_race.h), one that would
// race waits for whoever is told: if it is let go, it synchronises, and is no access.
#pragma once

#include "runtime/context/events.h"
#include "runtime/context/on_race.h"
#include "runtime/context/perturb.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/sync_ops.h"
#include "runtime/context/verify.h"

namespace bigfoot::rt {

enum class Order : int { kRelaxed = 0, kConsume, kAcquire, kRelease, kAcqRel, kSeqCst };
constexpr bool acquires(Order o) {
  return o == Order::kConsume || o == Order::kAcquire || o == Order::kAcqRel || o == Order::kSeqCst;
}
constexpr bool releases(Order o) {
  return o == Order::kRelease || o == Order::kAcqRel || o == Order::kSeqCst;
}

constexpr bool orders(Order o) {
  return acquires(o) || releases(o);
}

// What the real operation did, or would do.
struct AtomicEffect {
  bool read;
  bool wrote;
  Order order;  // the one that applies (a failed compare-exchange has its own)
};

void atomic_fence(Thread& t, Order order);
// After the real operation, under the object's lock. `as_access` is null if it is none.
void atomic_done(Thread& t, SyncVar& v, ByteRange bytes, const AtomicEffect& effect, Pc pc,
                 const RaceSink* as_access);
// Before it: looks for the races it would have, knowing what it would acquire; changes nothing.
void atomic_foreseen(const Thread& t, const SyncVar& v, ByteRange bytes, const AtomicEffect& effect,
                     const RaceSink& sink);

// Races found under an object's lock, to be reported after it: as many as the two words of the
// widest atomic have pieces.
using FoundRaces = RaceList<16>;

// For builds that are verified; see verify.h.
void verify_atomic(const AtomicEffect& effect);

// Whether the same load once more need not be done (settled_loads.h): not if it is no access, nor
// while something is told of each.
inline bool settles(const Thread& t) {
  return t.ignore_accesses == 0 && t.steps == nullptr && runtime.perturb_seed == 0 && !verifying;
}
inline SettledLoad settled_load(ByteRange bytes, Order order) {
  return {bytes.begin, static_cast<u8>(bytes.size), acquires(order)};
}

// The value of the atomic if it is all that a load has to find out. Takes no lock: a locked
// instruction is most of what a load costs otherwise.
template <class T>
[[gnu::always_inline]] inline bool settled_value(const T* p, Order order, T& value) {
  if (__bf_thread.stamp == abi::kStampSingle || BF_UNLIKELY(__bf_thread.inside != 0)) return false;
  const Thread* const t = thread_or_null();
  if (BF_UNLIKELY(t == nullptr)) return false;
  // Handlers wait, for their loads would take the place of what is looked at here. Who stops the
  // others need not know of this: it only reads, and what it reads is the thread's own.
  store_relaxed(&__bf_thread.inside, u32{1});
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const SettledLoad load = settled_load({reinterpret_cast<uptr>(p), sizeof(T)}, order);
  const bool settled = t->settled_loads.settle(
      load, t->clock, runtime.syncs, [&] { value = __atomic_load_n(p, __ATOMIC_SEQ_CST); });
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  store_relaxed(&__bf_thread.inside, u32{0});
  if (BF_UNLIKELY(__bf_thread.signal_pending != 0)) deliver_pending_signals();
  return settled;
}

// Performs `op`, which returns an AtomicEffect, on the atomic at `bytes`; `foresee` returns the
// same beforehand. `orders` if it may acquire or release, which ends the stretch of the program
// that footprints stand for; kReads if it is a load. The comparison with plain accesses is part of
// the critical section: once the lock is free, another thread may have seen the new value and
// rightly freed the memory.
template <class Op, class Foresee>
inline void atomic_access(ByteRange bytes, SyncUse use, bool orders, Pc pc, Op op,
                          Foresee foresee) {
  if (__bf_thread.stamp == abi::kStampSingle) {
    AtomicEffect effect = op();
    if (BF_UNLIKELY(verifying)) verify_atomic(effect);
    return;
  }
  RuntimeScope scope;
  Thread& t = current_thread();
  if (runtime.single || t.ignore_sync != 0 || !shadow::covers(bytes.begin)) {
    AtomicEffect effect = op();
    if (BF_UNLIKELY(verifying)) verify_atomic(effect);
    return;
  }
  perturb(t, PerturbPoint::kSynchronisation);
  reclaim_if_needed();
  if (orders) commit_footprints(t);
  FoundRaces found;
  const RaceSink sink = found.sink();
  AtomicEffect effect;
  bool waits = false;
  with_sync_var(bytes.begin, use, [&](SyncVar& v) {
    if (BF_UNLIKELY(races_stop())) {
      effect = foresee();
      atomic_foreseen(t, v, bytes, effect, sink);
      waits = !found.empty();
      if (waits) return;
    }
    effect = op();
    atomic_done(t, v, bytes, effect, pc, &sink);
    if (use == SyncUse::kReads && found.empty() && settles(t))
      t.settled_loads.add(settled_load(bytes, effect.order), t.clock, runtime.syncs);
  });
  if (BF_UNLIKELY(!found.empty())) {
    PendingAccess p{t, bytes, effect.wrote ? AccessKind::kAtomicWrite : AccessKind::kAtomicRead,
                    pc};
    found.deliver(race_sink(p));
  }
  if (BF_UNLIKELY(waits))
    with_sync_var(bytes.begin, use, [&](SyncVar& v) {
      effect = op();
      atomic_done(t, v, bytes, effect, pc, nullptr);
    });
  if (BF_UNLIKELY(verifying)) verify_atomic(effect);
}

}  // namespace bigfoot::rt
