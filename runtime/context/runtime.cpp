#include "runtime/context/runtime.h"

#include "runtime/context/claims.h"
#include "runtime/context/events.h"
#include "runtime/context/facts.h"
#include "runtime/context/memory_limit.h"
#include "runtime/context/on_race.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/threads.h"
#include "runtime/heap/heap.h"
#include "runtime/options/options.h"
#include "runtime/report/report.h"

extern "C" {
__attribute__((visibility("default"))) constinit bigfoot::rt::u32 __bf_paused = 0;
}

namespace bigfoot::rt {

constinit Runtime runtime;

bool inside_runtime() {
  return __bf_thread.inside != 0 || is_waiting_inside() || !runtime.ready;
}

void initialise_runtime() {
  if (runtime.ready) return;
  ++__bf_thread.inside;
  runtime.single = true;
  runtime.stamps.initialise();
  runtime.slots.initialise();
  runtime.depot.initialise();
  runtime.sets.initialise();
  shadow::mosaics.initialise();
  runtime.locksets.initialise();
  runtime.epoch_locks.initialise();
  runtime.steps.initialise();
  runtime.threads.initialise();
  heap::initialise();
  attach_main_thread();
  runtime.ready = true;
  report::initialise(program_facts());
  initialise_on_race();
  initialise_memory_limit();
  initialise_proxies();
  initialise_claims();
  runtime.perturb_seed = options().perturb;
  const bool writes_json = options().json || options().json_path[0] != 0;
  runtime.keeps_steps = options().sync_history && writes_json;
  if (runtime.keeps_steps) current_thread().steps = runtime.steps.take(kMainThread);
  if (u64 n = options().test_stamp_chunks) runtime.stamps.set_limit(static_cast<u32>(n));
  if (u64 n = options().test_read_sets) set_reclaim_interval(n);
  initialise_reclaim();
  --__bf_thread.inside;
}

namespace {

LocksetId interned_locks(Thread& t) {
  LocksetId set = kNoLocks;
  for (HeldLock& h : t.held) {
    if (h.upto == kNotInterned) h.upto = runtime.locksets.add(set, h.lock);
    set = h.upto;
  }
  return set;
}

// REQUIRES: none was told, or `locks` has those and more.
void tell(Thread& t, LocksetId locks, u32 count) {
  t.epoch_locks = locks;
  t.first_locks = first_locks(count);
  t.locks_key = OriginDepot::locks_key(t.first_locks);
  runtime.epoch_locks.tell(t.stamp, locks);
}

}  // namespace

LocksetId tell_locks(Thread& t) {
  if (t.locks == kNotInterned) t.locks = interned_locks(t);
  const u32 count = t.held.count();
  if (count > kMaxFirstLocks) return t.locks;
  if (t.epoch_locks == kNotTold) {
    tell(t, t.locks, count);
    return t.first_locks;
  }
  const u32 told = first_locks_count(t.first_locks);
  if (count > told && runtime.locksets.oldest(t.locks, told) == t.epoch_locks)
    tell(t, t.locks, count);
  return runtime.locksets.oldest(t.epoch_locks, count) == t.locks ? first_locks(count) : t.locks;
}

void tick(Thread& t) {
  if (!t.recorded) return;
  Stamp next = runtime.stamps.next(t.stamp, {t.slot, t.clock});
  if (next == kNoStamp) die("cannot go on", "all epochs are in use");
  t.stamp = next;
  t.epoch_locks = kNotTold;
  // Who sees it sees all that this thread has done by its claims (context/claims.cpp).
  store_release(&t.clock, t.clock + 1);
  t.recorded = false;
  show_stamp(t);
}

}  // namespace bigfoot::rt
