// Atomic loads that this epoch has done already, at objects that have not changed since.
//
// Such a load only has to return the value. It would teach nothing: what the object holds was
// learnt by the first one (a relaxed load has put it aside for the next acquire fence; an acquiring
// one knows it, and then a relaxed one has nothing to put aside). And it would record nothing: the
// entry of the first one is of this epoch, and stays while it lasts, for whoever drops it knows the
// epoch, which is over then. Nor has it to be compared with plain accesses. Those before the entry
// were seen with it, and none of them raced; their epochs are over, so they do not go on unseen.
// Those after it look for it.
//
// "Has not changed" is the count of changes of the object's bucket, which goes up before a change
// is made (sync_var.h). Whoever reads the value first and then the same count as the first load
// found under the lock has the value that its clock belongs to; no lock is needed, and no look at
// the object, which may be gone.
//
// Epochs are told apart by the thread's own time, as in settled_ranges.h.
#pragma once

#include "runtime/sync/sync_var.h"

namespace bigfoot::rt {

// What a load asks for; one that has acquired stands for one that has not.
struct SettledLoad {
  uptr address;
  u8 size;
  bool acquires;
};

class SettledLoads {
 public:
  // Calls `read`, which reads the value. False: the load has to be done, and the value with it.
  template <class Read>
  [[gnu::always_inline]] bool settle(const SettledLoad& l, Clock time, const SyncTable& table,
                                     Read read) const {
    const usize hash = SyncTable::hash(l.address);
    const Entry& e = entries_[hash % kEntries];
    read();
    return e.changes == table.at(hash).changes() && e.load.address == l.address && e.time == time &&
           e.load.size >= l.size && e.load.acquires >= l.acquires;
  }
  // The load is done and found no race. REQUIRES: the bucket of the object has been locked since
  // before.
  void add(const SettledLoad& l, Clock time, const SyncTable& table) {
    const usize hash = SyncTable::hash(l.address);
    entries_[hash % kEntries] = {l, time, table.at(hash).changes()};
  }

 private:
  struct Entry {
    SettledLoad load;
    Clock time;
    u64 changes;
  };
  static constexpr usize kEntries = 32;
  Entry entries_[kEntries];
};

}  // namespace bigfoot::rt
