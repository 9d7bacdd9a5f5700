// The process-wide state of the run time: one object, the only place with globals.
//
// All of it is zero until initialise_runtime(): otherwise its 2 MB would be part of every program's
// file.
#pragma once

#include "runtime/array/registry.h"
#include "runtime/clock/slots.h"
#include "runtime/context/field_groups.h"
#include "runtime/context/thread.h"
#include "runtime/context/thread_table.h"
#include "runtime/detect/detector.h"
#include "runtime/report/race.h"
#include "runtime/sync/step_log.h"
#include "runtime/sync/sync_var.h"

namespace bigfoot::rt {

// Where fields that are checked together get one shadow location.
enum class Proxies : u8 { kOff, kAgreed, kAlways };

struct Runtime {
  static constexpr usize kThreads = ThreadTable::kCapacity;

  StampTable stamps;
  SlotTable slots;
  OriginDepot depot;
  ReadSets sets;
  Locksets locksets;
  EpochLocks epoch_locks;
  SyncTable syncs;
  StepLog steps;
  ArrayRegistry arrays;
  FieldGroups field_groups;
  ThreadTable threads;

  SpinLock threads_lock;  // guards the three below and every ThreadRecord's state
  u32 next_thread = 0;
  u32 live = 0;                      // threads and fibers that run or may run
  u32 unjoined = 0;                  // finished threads whose end nobody has waited for
  u64 rule_totals[kRuleCount] = {};  // of threads that have ended

  u32 sets_generation = 0;    // changes when names of read sets may have changed their meaning
  u32 memory_generation = 0;  // changes when memory ends or moves without an event of who used it
  u64 perturb_seed = 0;       // 0: schedules are left alone; see perturb.h
  bool keeps_steps = false;   // threads get a ring of their latest synchronisation
  bool ready = false;         // initialise() is through
  Proxies proxies = Proxies::kOff;
  bool races_stop = false;  // a racing access leaves no trace; see on_race.h
  bool arrays_on = false;   // arrays have shadows of their own; see arrays.h. Set while single
  bool single = false;      // one thread, and it knows everything that ever happened
  Thread* only = nullptr;   // that thread
  abi::ThreadHot* only_hot = nullptr;
};

extern Runtime runtime;
}  // namespace bigfoot::rt

extern "C" {
// A thread has stopped the others; see reclaim.h. Instrumented code looks, too.
extern bigfoot::rt::u32 __bf_paused;
}

namespace bigfoot::rt {

// Somebody collects stamps and sets; threads that enter the run time meanwhile wait. See reclaim.h.
void wait_while_paused();

// Brings the run time up; idempotent, called before anything of the program runs.
void initialise_runtime();

// Reads the options of field_groups; group_access.cpp.
void initialise_proxies();

// Marks the calling thread as being inside the run time, so that signal handlers wait and
// interceptors step aside. Leaving the outermost scope delivers what waited.
void deliver_pending_signals();  // intercept/signals.cpp
class RuntimeScope {
 public:
  RuntimeScope() {
    ++__bf_thread.inside;
    if (BF_UNLIKELY(load_relaxed(&__bf_paused) != 0)) wait_while_paused();
  }
  ~RuntimeScope() {
    if (--__bf_thread.inside == 0 && BF_UNLIKELY(__bf_thread.signal_pending != 0))
      deliver_pending_signals();
  }
  RuntimeScope(const RuntimeScope&) = delete;
  RuntimeScope& operator=(const RuntimeScope&) = delete;
};

// Memory begins anew: what any thread remembers of accesses to it in its epoch is forgotten.
// REQUIRES: no lock of the run time is held.
void forget_settled_everywhere(ByteRange range);

// --- time
// ------------------------------------------------------------------------------------------ The
// thread's stamp becomes visible to instrumented code.
inline void show_stamp(Thread& t) {
  if (BF_UNLIKELY(t.knows_sets)) forget_known_sets(t);
  show_stamp(__bf_thread, runtime.single ? abi::kStampSingle : raw(t.stamp));
}
// The thread has recorded something at its current time.
inline void note_recorded(Thread& t) {
  BF_DCHECK(t.knows.get(t.slot) <= t.clock && (!t.recorded || t.knows.get(t.slot) == t.clock));
  if (t.recorded) return;
  t.recorded = true;
  t.knows.set(t.slot, t.clock);
}
// After publishing: what the thread does from here on is later. Nothing recorded, nothing to tell
// apart, so no time passes then.
void tick(Thread& t);

inline Observer observer(const Thread& t) {
  return {t.knows, t.slot, t.stamp, runtime.stamps};
}
// The thread's locks, for the origin of an access of the current epoch.
BF_SPARE LocksetId tell_locks(Thread& t);
inline LocksetId locks_for_origin(Thread& t) {
  return BF_LIKELY(t.locks == t.epoch_locks) ? t.first_locks : tell_locks(t);
}
// Whether nothing has to be told of the epoch before something more is recorded.
inline bool is_usual(const Thread& t) {
  return t.recorded && t.locks == t.epoch_locks && t.ignore_accesses == 0;
}
// What is_usual() asks for has changed: `usual` of the thread tells so again when it is asked for.
inline void no_longer_usual() {
  store_relaxed(&__bf_thread.usual, abi::kNotUsual);
}
// And back: the locks held at an access of that epoch.
inline LocksetId locks_at(Origin origin, Stamp epoch) {
  const LocksetId said = runtime.depot.locks(origin);
  if (!is_first_locks(said)) return said;
  return runtime.locksets.oldest(runtime.epoch_locks.get(epoch), first_locks_count(said));
}
inline Place place(Thread& t, Pc pc, AccessKind kind, u64 size) {
  return {pc, __bf_thread.frame, locks_for_origin(t), kind, size};
}
// The same for an access that need not be naturally aligned.
inline Place place(Thread& t, Pc pc, AccessKind kind, ByteRange bytes) {
  return {pc, __bf_thread.frame, locks_for_origin(t), kind, bytes.size, phase_of(bytes)};
}
// Where a synchronisation event happened; carries no access and no locks.
inline Origin event_origin(Thread& t, Pc pc) {
  return t.origins.get(runtime.depot, {pc, __bf_thread.frame});
}

// An access on its way through the detector.
struct PendingAccess {
  Thread& thread;
  ByteRange bytes;
  AccessKind kind;
  Pc pc;
  Origin origin = kNoOrigin;  // of an access that lies back; `pc` is not asked then
  bool quiet = false;         // its races are not printed
  bool raced = false;         // out
};
// What the detector needs for it.
Accessor accessor(PendingAccess& p);
// A race of that access, ready to be reported; and where its races go to be reported at once.
report::Race describe_race(const PendingAccess& p, const FoundRace& found);
RaceSink race_sink(PendingAccess& p);
// An access of any size with all that belongs to it; `p.raced` tells. A stopping one records
// nothing where it races, and is judged as a whole before any of it is recorded. REQUIRES: inside a
// RuntimeScope, not alone, the bytes have shadow.
enum class Racing : u8 { kRecorded, kStopped };
void checked_access(PendingAccess& p, Racing racing);
// Whether it would race; tells its races and records nothing. REQUIRES: as above.
bool races(PendingAccess& p);
// A plain access to words with synchronisation objects: compares the bytes `part` of it with their
// atomic accesses. The sink is called with no lock held.
void check_atomics(const PendingAccess& p, ByteRange part, const RaceSink& sink);

}  // namespace bigfoot::rt
