// Clock transfer between a thread and a synchronisation object, and access to the object's record.
#pragma once

#include "runtime/context/arrays.h"
#include "runtime/context/runtime.h"

namespace bigfoot::rt {

void learn(Thread& t, const SyncVar& v);    // acquire
void publish_store(Thread& t, SyncVar& v);  // release that replaces; ticks
void publish_join(Thread& t, SyncVar& v);   // release that adds; ticks

// What a thread still holds when it ends: the kernel hands robust mutexes on to the next owner.
void release_held_locks(Thread& t);

// Calls f(SyncVar&) under the bucket's lock; the record is made if there is none, and its word
// marked so that plain accesses and frees know of it.
template <class F>
inline void with_sync_var(uptr address, F f) {
  SyncTable::Bucket& bucket = runtime.syncs.bucket(address);
  SpinGuard guard(bucket.lock);
  bool created;
  SyncVar& v = bucket.get(address, created);
  if (created && shadow::covers(address)) {
    if (BF_UNLIKELY(runtime.arrays_on)) array_gets_object(address);
    mark_sync(address);
  }
  f(v);
}

}  // namespace bigfoot::rt
