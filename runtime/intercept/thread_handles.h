// The table from pthread_t to thread.
//
// The C library uses a handle again as soon as its thread has been joined, or has ended detached,
// so an entry is always replaced by the newer thread, and who forgets one says which thread it
// meant.
#pragma once

#include <pthread.h>

#include "runtime/base/hash_map.h"
#include "runtime/base/spin_lock.h"
#include "runtime/base/types.h"

namespace bigfoot::rt::intercept {

class ThreadHandles {
 public:
  void set(pthread_t handle, ThreadId id) {
    bool done = false;
    set_once(handle, id, done);
  }
  // Of several callers that share `done`, the first one sets; none returns before it is set.
  void set_once(pthread_t handle, ThreadId id, bool& done) {
    SpinGuard guard(lock_);
    if (done) return;
    done = true;
    *map_.insert(handle).value = {static_cast<u32>(id) + 1};
  }
  ThreadId find(pthread_t handle) {
    SpinGuard guard(lock_);
    Entry* e = map_.find(handle);
    return e == nullptr || e->id_plus_one == 0 ? kNoThread : ThreadId{e->id_plus_one - 1};
  }
  // Only if the handle still names that thread.
  void forget(pthread_t handle, ThreadId id) {
    SpinGuard guard(lock_);
    Entry* e = map_.find(handle);
    if (e != nullptr && e->id_plus_one == static_cast<u32>(id) + 1) e->id_plus_one = 0;
  }
  SpinLock& lock() { return lock_; }  // for fork

 private:
  struct Entry {
    u32 id_plus_one;  // 0: none
  };
  SpinLock lock_;
  HashMap<Entry> map_;  // guarded by lock_
};

}  // namespace bigfoot::rt::intercept
