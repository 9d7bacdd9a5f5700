// Slots: places in the vector clocks, handed from thread to thread.
//
// A slot may serve a new thread only if everything its last owner did happened before the new
// thread's creation; otherwise the newcomer would seem to be ordered after it. The creator's clock
// decides that exactly, so slots are reused without losing a race, and programs that create and
// join threads for ever keep small clocks. Times go on where the last owner stopped.
#pragma once

#include "runtime/base/arena.h"
#include "runtime/base/spin_lock.h"
#include "runtime/clock/stamp.h"
#include "runtime/clock/vector_clock.h"

namespace bigfoot::rt {

struct SlotLease {
  Slot slot;
  Clock clock;  // first time of the new owner
  Stamp stamp;  // its name
};

class SlotTable {
 public:
  static constexpr usize kMaxSlots = usize{1} << 20;

  void initialise() { slots_.reserve(); }

  // A slot for a thread created by someone who knows `creator`. False if stamps or slots ran out.
  bool take(const VectorClock& creator, ThreadId owner, StampTable& stamps, SlotLease& lease);
  // The owner is gone at `now`, named `stamp`; the last time at which it recorded anything is
  // `last_used` (what a successor's creator has to know of).
  void retire(Epoch now, Stamp stamp, Clock last_used);

  // Which thread had the slot at that time.
  ThreadId owner_at(Epoch e) const;
  u32 count() const { return load_relaxed(&count_); }
  // Whose it is or was last, since when, and until when if its owner has retired.
  struct Holder {
    ThreadId owner;
    Clock from;
    bool retired;
    Clock last;  // if retired
  };
  Holder holder(Slot slot) const;
  // The latest time of a retired slot; of one in use, a time later than any (for a forked child, in
  // which the slots of the vanished threads are never handed on).
  Clock latest(Slot slot) const;

 private:
  // An owner's reign: from `from` until the next one's.
  struct Reign {
    Clock from;
    ThreadId owner;
    Reign* before;
  };
  struct Entry {
    Clock last_used;  // these three of the last owner, when retired
    Clock last_clock;
    Stamp last_stamp;
    bool retired;
    u32 next_retired;  // index + 1 of the next slot in the retired list
    Reign* reigns;     // newest first
  };
  void start_reign(Entry& e, Clock from, ThreadId owner);

  ReservedTable<Entry, kMaxSlots> slots_;
  mutable SpinLock lock_;
  u32 count_ = 0;
  u32 retired_ = 0;
};

}  // namespace bigfoot::rt
