// Clock transfer between a thread and a synchronisation object, and access to the object's record.
#pragma once

#include "runtime/context/arrays.h"
#include "runtime/context/claims.h"
#include "runtime/context/runtime.h"

namespace bigfoot::rt {

void learn(Thread& t, const SyncVar& v);    // acquire
void publish_store(Thread& t, SyncVar& v);  // release that replaces; ticks
void publish_join(Thread& t, SyncVar& v);   // release that adds; ticks

// Remembers for reports that the thread has synchronised; after the clocks have changed.
inline void note_step(Thread& t, StepKind kind, uptr object, Origin where) {
  if (t.steps != nullptr) t.steps->add({__builtin_ia32_rdtsc(), t.clock, object, where, kind});
}
inline void note_step(Thread& t, StepKind kind, uptr object, Pc pc) {
  if (t.steps != nullptr) note_step(t, kind, object, pc == 0 ? kNoOrigin : event_origin(t, pc));
}

// What a thread still holds when it ends: the kernel hands robust mutexes on to the next owner.
void release_held_locks(Thread& t);

// Calls f(SyncVar&) under the bucket's lock; the record is made if there is none, and its word
// marked so that plain accesses and frees know of it. With kReads, f changes nothing that others
// could learn from it.
enum class SyncUse : u8 { kReads, kChanges };
template <class F>
inline void with_sync_var(uptr address, SyncUse use, F f) {
  share_for_object(address);
  SyncTable::Bucket& bucket = runtime.syncs.bucket(address);
  SpinGuard guard(bucket.lock);
  if (use == SyncUse::kChanges) bucket.changes_now();
  bool created;
  SyncVar& v = bucket.get(address, created);
  if (created && shadow::covers(address)) {
    if (BF_UNLIKELY(runtime.arrays_on)) array_gets_object(address);
    mark_sync(address);
  }
  f(v);
}
template <class F>
inline void with_sync_var(uptr address, F f) {
  with_sync_var(address, SyncUse::kChanges, f);
}

}  // namespace bigfoot::rt
