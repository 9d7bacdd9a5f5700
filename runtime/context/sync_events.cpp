// Happens-before edges: plain ones, locks, barriers, file descriptors.
#include "runtime/base/pool.h"
#include "runtime/base/string.h"
#include "runtime/context/boundaries.h"
#include "runtime/context/events.h"
#include "runtime/context/perturb.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/runtime.h"
#include "runtime/context/sync_ops.h"
#include "runtime/context/verify.h"
#include "runtime/report/report.h"

namespace bigfoot::rt {

// --- the two directions
// ----------------------------------------------------------------------------

void learn(Thread& t, const SyncVar& v) {
  if (v.last == t.id) return;  // it is our own: an uncontended lock learns nothing
  t.knows.join(v.clock);
}

void publish_store(Thread& t, SyncVar& v) {
  v.clock.assign(t.knows);
  v.last = t.id;
  tick(t);
}

void publish_join(Thread& t, SyncVar& v) {
  v.clock.join(t.knows);
  if (v.last != t.id) v.last = kNoThread;
  tick(t);
}

namespace {

// --- file descriptors have objects of their own, at addresses no program can have
// --------------------
constexpr uptr kDescriptorBase = uptr{1} << 60;
constexpr usize kMaxDescriptors = usize{1} << 20;
struct Descriptors {
  SpinLock lock;
  u32 next = 1;
  ReservedTable<u32, kMaxDescriptors> object;  // 0: none yet
};
Descriptors descriptors;

uptr descriptor_object(int fd) {
  if (fd < 0 || static_cast<usize>(fd) >= kMaxDescriptors) return 0;
  SpinGuard guard(descriptors.lock);
  descriptors.object.reserve();
  u32& o = descriptors.object[static_cast<usize>(fd)];
  if (o == 0) o = descriptors.next++;
  return kDescriptorBase + uptr{o} * 8;
}

void assign_descriptor(int to, u32 object) {
  if (to >= 0 && static_cast<usize>(to) < kMaxDescriptors)
    descriptors.object[static_cast<usize>(to)] = object;
}

template <class F>
void with_object(uptr object, F f) {
  RuntimeScope scope;
  reclaim_if_needed();
  with_sync_var(object, f);
}

}  // namespace

// While the program runs alone edges need not be kept: whoever comes later knows everything anyway.

// --- plain edges
// -----------------------------------------------------------------------------------

void release(Thread& t, uptr object, Pc pc) {
  before_release(t);
  if (t.ignore_sync != 0 || runtime.single) return;
  perturb(t, PerturbPoint::kSynchronisation);
  with_object(object, [&](SyncVar& v) { publish_join(t, v); });
  note_step(t, StepKind::kRelease, object, pc);
}
void release_store(Thread& t, uptr object, Pc pc) {
  before_release(t);
  if (t.ignore_sync != 0 || runtime.single) return;
  perturb(t, PerturbPoint::kSynchronisation);
  with_object(object, [&](SyncVar& v) { publish_store(t, v); });
  note_step(t, StepKind::kRelease, object, pc);
}
void acquire(Thread& t, uptr object, Pc pc) {
  before_acquire(t);
  if (t.ignore_sync != 0 || runtime.single) return;
  perturb(t, PerturbPoint::kSynchronisation);
  with_object(object, [&](SyncVar& v) { learn(t, v); });
  note_step(t, StepKind::kAcquire, object, pc);
}

void forget_object(Thread&, uptr object) {
  RuntimeScope scope;
  SyncTable::Bucket& bucket = runtime.syncs.bucket(object);
  SpinGuard guard(bucket.lock);
  bucket.remove(object);
}

// --- locks
// -----------------------------------------------------------------------------------------

namespace {

void take_lock(Thread& t, uptr mutex, LockMode mode, u32 depth, Pc pc) {
  if (HeldLock* h = t.held.find(mutex)) {
    h->depth += depth;  // orders nothing: whoever released it was ourselves
    return;
  }
  before_acquire(t);
  LockTaken lock{mutex, event_origin(t, pc), mode == LockMode::kRead};
  t.held.push(lock);
  t.held.find(mutex)->depth = depth;
  t.locks = kNotInterned;
  no_longer_usual();
  note_step(t, lock.read_mode ? StepKind::kReadLock : StepKind::kLock, mutex, lock.taken);
}

// Returns the depth left; `mode` tells how it was held.
u32 drop_lock(Thread& t, uptr mutex, u32 depth, LockMode& mode) {
  HeldLock* h = t.held.find(mutex);
  if (h == nullptr) {
    mode = LockMode::kWrite;
    return 0;
  }
  mode = h->lock.read_mode ? LockMode::kRead : LockMode::kWrite;
  if (h->depth > depth) return h->depth -= depth;
  t.held.remove(h);
  t.locks = t.held.interned();
  no_longer_usual();
  return 0;
}

void lock_edge(Thread& t, SyncVar& v, LockMode mode) {
  v.is_mutex = true;
  if (t.ignore_sync != 0) return;
  learn(t, v);
  if (mode == LockMode::kRead) {
    v.read_locked = true;
    return;
  }
  t.knows.join(v.readers);
  v.owner = t.id;
}

void misuse(Thread& t, const char* title, uptr mutex, Pc pc) {
  report::finding({title, mutex, event_origin(t, pc), t.id});
}

// Certain only if the lock is known and nobody holds it: readers are not counted one by one.
bool is_free(const SyncVar& v) {
  return v.is_mutex && v.owner == kNoThread && v.readers.empty() && !v.read_locked;
}

void unlock_edge(Thread& t, SyncVar& v, LockMode mode) {
  if (t.ignore_sync != 0) {
    if (mode == LockMode::kWrite) v.owner = kNoThread;
    return;
  }
  if (mode == LockMode::kRead) {
    v.readers.join(t.knows);
    tick(t);
    return;
  }
  // The holder learnt everything released here before, so its clock replaces what there was.
  v.readers.clear();
  v.owner = kNoThread;
  publish_store(t, v);
}

}  // namespace

void mutex_created(Thread& t, uptr mutex, bool recursive, Pc pc) {
  Origin where = event_origin(t, pc);
  with_object(mutex, [&](SyncVar& v) {
    v.is_mutex = true;
    v.recursive = recursive;
    v.created = where;
  });
}

void mutex_destroyed(Thread& t, uptr mutex, Pc pc) {
  bool locked = false;
  {
    RuntimeScope scope;
    SyncTable::Bucket& bucket = runtime.syncs.bucket(mutex);
    SpinGuard guard(bucket.lock);
    if (SyncVar* v = bucket.find(mutex)) locked = v->owner != kNoThread;
  }
  if (locked) misuse(t, "destroy of a locked mutex", mutex, pc);
  forget_object(t, mutex);
}

// While synchronisation is ignored, who holds a lock is ignored with it: a scheduler locks as one
// logical thread and unlocks as another. Only a lock that was taken before is still given back.

void mutex_locked(Thread& t, uptr mutex, LockMode mode, Pc pc) {
  if (t.ignore_sync != 0) return;
  RuntimeScope scope;
  reclaim_if_needed();
  take_lock(t, mutex, mode, 1, pc);
  with_sync_var(mutex, [&](SyncVar& v) { lock_edge(t, v, mode); });
}

void mutex_unlocking(Thread& t, uptr mutex, Pc pc) {
  perturb(t, PerturbPoint::kSynchronisation);
  RuntimeScope scope;
  bool held = t.held.find(mutex) != nullptr;
  if (!held && t.ignore_sync != 0) return;
  LockMode mode;
  if (drop_lock(t, mutex, 1, mode) != 0) return;
  before_release(t);
  bool bad = false;
  with_sync_var(mutex, [&](SyncVar& v) {
    bad = !held && is_free(v);
    unlock_edge(t, v, mode);
  });
  note_step(t, StepKind::kUnlock, mutex, pc);
  if (bad) misuse(t, "unlock of an unlocked mutex (or by a wrong thread)", mutex, pc);
}

void release_held_locks(Thread& t) {
  while (t.held.count() != 0) {
    uptr mutex = t.held.begin()->lock.address;
    mutex_release_all(t, mutex, 0);
  }
}

void mutex_repaired(Thread& t, uptr mutex, Pc pc) {
  Origin where = event_origin(t, pc);
  with_object(mutex, [&](SyncVar& v) {
    if (v.created == kNoOrigin) v.created = where;
  });
}

u32 mutex_release_all(Thread& t, uptr mutex, Pc pc) {
  RuntimeScope scope;
  HeldLock* h = t.held.find(mutex);
  if (h == nullptr && t.ignore_sync != 0) return 0;
  u32 depth = h == nullptr ? 1 : h->depth;
  LockMode mode;
  drop_lock(t, mutex, depth, mode);
  before_release(t);
  with_sync_var(mutex, [&](SyncVar& v) { unlock_edge(t, v, mode); });
  note_step(t, StepKind::kUnlock, mutex, pc);
  return depth;
}

void mutex_reacquire(Thread& t, uptr mutex, u32 count, Pc pc) {
  if (count == 0) return;
  RuntimeScope scope;
  take_lock(t, mutex, LockMode::kWrite, count, pc);
  with_sync_var(mutex, [&](SyncVar& v) { lock_edge(t, v, LockMode::kWrite); });
}

// --- barriers
// ---------------------------------------------------------------------------------------- A round
// closes when its first thread departs; who arrives afterwards fills the next one. Each thread
// keeps the round it arrived in, so that a slow one does not learn of a later round.

void barrier_arrive(Thread& t, uptr barrier, Pc pc) {
  if (t.ignore_sync != 0) return;
  before_release(t);
  with_object(barrier, [&](SyncVar& v) {
    if (v.round == nullptr) {
      v.round = static_cast<BarrierRound*>(pool_allocate(sizeof(BarrierRound)));
      zero_bytes(v.round, sizeof(BarrierRound));
    }
    t.round = v.round;
    ++t.round->references;
    t.round->arrivals.join(t.knows);
    tick(t);
  });
  note_step(t, StepKind::kArrive, barrier, pc);
}

void barrier_depart(Thread& t, uptr barrier, Pc pc) {
  if (t.round == nullptr) return;
  before_acquire(t);
  with_object(barrier, [&](SyncVar& v) {
    BarrierRound* round = t.round;
    t.round = nullptr;
    if (v.round == round) v.round = nullptr;
    t.knows.join(round->arrivals);
    if (--round->references != 0) return;
    round->arrivals.release_storage();
    pool_free(round, sizeof(BarrierRound));
  });
  note_step(t, StepKind::kDepart, barrier, pc);
}

// --- file descriptors
// ----------------------------------------------------------------------------------

void fd_release(Thread& t, int fd, Pc pc) {
  if (runtime.single) return before_release(t);
  if (uptr o = descriptor_object(fd)) release(t, o, pc);
}
void fd_acquire(Thread& t, int fd, Pc pc) {
  if (runtime.single) return before_acquire(t);
  if (uptr o = descriptor_object(fd)) acquire(t, o, pc);
}
void fd_closed(Thread&, int fd, Pc) {
  RuntimeScope scope;
  SpinGuard guard(descriptors.lock);
  descriptors.object.reserve();
  assign_descriptor(fd, 0);
}
void fd_duplicated(Thread&, int from, int to, Pc) {
  RuntimeScope scope;
  uptr o = descriptor_object(from);
  SpinGuard guard(descriptors.lock);
  if (o != 0) assign_descriptor(to, static_cast<u32>((o - kDescriptorBase) / 8));
}
void fd_paired(Thread& t, int a, int b, Pc pc) {
  fd_closed(t, a, pc);
  fd_duplicated(t, a, b, pc);
}

}  // namespace bigfoot::rt
