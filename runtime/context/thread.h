// One thread of the program (or one fiber): what it knows, what it holds, where it is.
//
// Owned by the thread itself; nobody else touches it except where a field says so.
#pragma once

#include "abi/layout.h"
#include "runtime/context/settled_bytes.h"
#include "runtime/context/settled_loads.h"
#include "runtime/context/settled_ranges.h"
#include "runtime/detect/rules.h"
#include "runtime/origin/depot.h"
#include "runtime/shadow/mosaics.h"
#include "runtime/sync/lockset.h"
#include "runtime/sync/step_log.h"
#include "runtime/sync/sync_var.h"

extern "C" {
// Instrumented code reads and writes this one; static TLS, so that it is one instruction away.
extern constinit thread_local bigfoot::abi::ThreadHot __bf_thread
    __attribute__((tls_model("initial-exec")));
}

namespace bigfoot::rt {

// Behind the cursors of sites come those of calls, which only the run time looks for.
inline constexpr unsigned kCallCursorBits = 8;
inline constexpr unsigned kAllCursors = abi::kCursors + (1u << kCallCursorBits);
// Of threads that have no sweep going on: nobody's, and never written to.
extern constinit abi::Cursor no_cursors[kAllCursors];

namespace verify {
class Trace;
}
namespace lard {
struct Region;
}
class Footprints;

struct HeldLock {
  LockTaken lock;
  u32 depth;
  LocksetId upto;  // the interned list of the locks up to here, or kNotInterned
};

// The locks a thread holds, in the order taken. Grows without limit.
class HeldLocks {
 public:
  void push(const LockTaken& l);
  HeldLock* find(uptr address);
  void remove(HeldLock* h);  // h came from find()
  void release_storage();
  HeldLock* begin() { return items_; }
  HeldLock* end() { return items_ + count_; }
  // The interned list of all, or kNotInterned.
  LocksetId interned() const { return count_ == 0 ? kNoLocks : items_[count_ - 1].upto; }
  u32 count() const { return count_; }

 private:
  HeldLock* items_;
  u32 count_;
  u32 capacity_;
};

// Zero-initialised storage is a valid start; see new_thread_record().
struct Thread {
  ThreadId id;
  Slot slot;
  Clock clock;    // the slot's current time
  Stamp stamp;    // its name
  bool recorded;  // some shadow cell may carry `stamp`; knows[slot] == clock exactly then
  bool is_fiber;
  bool
      running;  // some OS thread runs it; changed by compare-and-swap where that may be another one
  bool knows_sets;  // known_reads of the thread holds something
  VectorClock knows;

  // Fences: what a later relaxed store publishes, what an acquire fence will learn.
  bool has_release_fence;
  VectorClock release_fence;
  VectorClock acquire_pending;

  HeldLocks held;
  LocksetId locks;        // the interned list of `held`, or kNotInterned
  LocksetId epoch_locks;  // what was told of the current epoch, or kNotTold
  LocksetId first_locks;  // how origins name those
  u64 locks_key;          // and their keys
  BarrierRound* round;    // of the barrier it waits in
  StepRing* steps;        // what it synchronised with lately; may be null

  u64 random;  // of perturb.h; 0: not drawn from yet

  u32 ignore_accesses;
  u32 ignore_sync;
  lard::Region* regions;  // that are open, innermost first

  abi::Frame* frames;  // bottom of the shadow call stack
  usize frames_bytes;
  abi::Frame* saved_frame;  // of a fiber that does not run

  ByteRange stack;
  ByteRange tls;

  u64 rule_counts[kRuleCount];
  OriginCache origins;
  MosaicSteps mosaic_steps;
  SettledRanges settled;
  u32 settled_generation;  // of the memory that `settled` speaks of
  SettledLoads settled_loads;
  ReadShareCache share_cache;
  u32 sets_generation;  // of the names in share_cache

  Footprints* footprints;  // accesses to arrays that are not committed yet; null: none so far
  verify::Trace* trace;    // null unless the program is being verified; see verify.h
};

// What is kept of every thread for reports; see thread_table.h.
struct alignas(128) ThreadRecord {
  ThreadId creator;
  Origin created;
  u32 os_id;
  bool finished;
  bool joined;
  bool detached;
  bool is_fiber;
  bool used;                 // the entry is valid
  Thread* thread;            // while it lives
  Epoch last;                // final epoch, when finished
  VectorClock* final_clock;  // what a joiner learns; null once it has
  ByteRange stack;
  ByteRange tls;
  char name[32];
};

// While a handler of a signal runs, which may have come in the middle of a look or between a look
// and what is remembered of it.
class SettledBytesApart {
 public:
  SettledBytesApart() : looked_epoch_(__bf_thread.looked_epoch) {
    SettledBytes::begin_epoch(__bf_thread);
  }
  ~SettledBytesApart() { __bf_thread.looked_epoch = looked_epoch_; }
  SettledBytesApart(const SettledBytesApart&) = delete;
  SettledBytesApart& operator=(const SettledBytesApart&) = delete;

 private:
  const u64 looked_epoch_;
};

// Makes `stamp` the epoch that instrumented code compares with, for writes and for reads.
inline void show_stamp(abi::ThreadHot& hot, u32 stamp) {
  u32 old = abi::known_index(load_relaxed(&hot.stamp));
  store_relaxed(&hot.known_reads[old], abi::known_nothing(old));
  store_relaxed(&hot.stamp, stamp);
  store_relaxed(&hot.usual, abi::kNotUsual);
  store_relaxed(&hot.known_reads[abi::known_index(stamp)], stamp);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  SettledBytes::begin_epoch(hot);  // last: who sees the new number sees the stamp
}
// Nothing is known any more about sets of reads. REQUIRES: nobody else writes to `hot`.
inline void forget_known_sets(abi::ThreadHot& hot) {
  for (u32 i = abi::known_index(kSpecialBit); i < abi::kKnownReads; i += 2)
    store_relaxed(&hot.known_reads[i], abi::known_nothing(i));
}
inline void forget_known_sets(Thread& t) {
  forget_known_sets(__bf_thread);
  t.knows_sets = false;
}

inline Thread* thread_or_null() {
  return static_cast<Thread*>(__bf_thread.thread);
}

}  // namespace bigfoot::rt
