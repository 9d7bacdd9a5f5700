// Slots: places in the vector clocks, handed from thread to thread.
//
// A slot may serve a new thread only if everything its last owners did, as far as it can still be
// part of a race, happened before the new thread's creation; otherwise the newcomer would seem to
// be ordered after it. The creator's clock decides that exactly, so slots are reused without losing
// a race, and programs that create and join threads for ever keep small clocks.
//
// What a detached thread did last nobody ever learns of. But it can be part of a race only as long
// as something in the shadow mentions it, and most is soon overwritten or ends with its memory.
// When mentions are collected (context/reclaim.h), each retired slot is told the latest time of it
// that is still mentioned; what is later never comes up again, and need not be known.
//
// Times go on where the last owner stopped.
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
  bool fresh;   // the slot has had no owner before
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

  // Between the marking of all stamps that are mentioned and the sweep of the stamps: what nothing
  // mentions any more is forgotten. REQUIRES: no other thread is inside the run time.
  void forget_unmentioned(const StampTable& stamps);
  // How many slots have been retired since then and not been taken again.
  u32 unexamined() const { return load_relaxed(&unexamined_); }
  // Calls visit(ThreadId) for each owner that can be asked for. REQUIRES: as above.
  template <class Visit>
  void for_each_owner(Visit&& visit) const {
    for (u32 i = 0; i < count_; ++i)
      for (const Reign* r = slots_[i].reigns; r != nullptr; r = r->before) visit(r->owner);
  }

  void before_fork() { lock_.lock(); }
  void after_fork() { lock_.unlock(); }

  // Which thread had the slot at that time. REQUIRES: something mentions it.
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
  // An owner's reign: from `from` until the next one's, `before` the older ones.
  struct Reign {
    Clock from;
    ThreadId owner;
    bool mentioned;
    Reign* before;
  };
  struct Entry {
    Clock last_used;  // of all owners, as far as it is known to be mentioned; these when retired
    Clock last_clock;
    Stamp last_stamp;
    bool retired;
    Clock mentioned;   // the latest time that is marked, while mentions are collected
    u32 next_retired;  // index + 1 of the next slot in its list
    Reign* reigns;     // newest first
  };
  // Of retired slots, through next_retired.
  struct List {
    u32 first;
    u32 last;
  };
  static constexpr int kTries = 64;

  bool serves(const Entry& e, const VectorClock& creator, u32 i) const {
    return e.last_used <= creator.get(Slot{i});
  }
  // A slot that serves, taken out of its list; kMaxSlots: none of those that were tried.
  u32 take_recent(const VectorClock& creator);
  u32 take_examined(const VectorClock& creator);
  void append(List& list, u32 i);
  u32 take_first(List& list);
  bool open(u32 i, ThreadId owner, StampTable& stamps, SlotLease& lease);
  bool open_fresh(ThreadId owner, StampTable& stamps, SlotLease& lease);
  void start_reign(Entry& e, Clock from, ThreadId owner);
  void note_mentions(const StampTable::ChunkState& chunk);
  static void drop_reigns(Entry& e);

  ReservedTable<Entry, kMaxSlots> slots_;
  mutable SpinLock lock_;
  u32 count_ = 0;
  u32 unexamined_ = 0;
  u32 recent_ = 0;      // retired since mentions were collected, newest first
  List examined_ = {};  // the others
};

}  // namespace bigfoot::rt
