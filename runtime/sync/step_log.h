// What each thread synchronised with lately, so that a report can show what happened around the two
// accesses and which edge is missing.
//
// Kept only when JSON is written, which alone shows it: a step costs some 10 ns, and code that does
// nothing but lock and unlock ran 1.3 times as long.
//
// A ring of steps per thread, written by its owner without a lock, read by whoever reports. A step
// costs a time stamp and six stores; the same step again (a thread that polls) only moves the last
// one's time. Rings of threads that have ended are kept for the next kKeptRings of them: the older
// access of a race is often made by a thread that is gone.
#pragma once

#include "runtime/base/arena.h"
#include "runtime/base/atomic.h"
#include "runtime/base/spin_lock.h"
#include "runtime/detect/access.h"

namespace bigfoot::rt {

enum class StepKind : u8 {
  kLock,
  kReadLock,
  kUnlock,
  kAcquire,  // atomics, annotations, descriptors and the like
  kRelease,
  kArrive,  // at a barrier
  kDepart,
  kCreate,  // a thread, whose number is the object
  kStart,
  kFinish,
  kJoin,
};
// Publishes what the thread did so far, or learns what others did.
constexpr bool step_releases(StepKind k) {
  return k == StepKind::kUnlock || k == StepKind::kRelease || k == StepKind::kArrive ||
         k == StepKind::kCreate || k == StepKind::kFinish;
}
constexpr bool names_thread(StepKind k) {
  return k == StepKind::kCreate || k == StepKind::kJoin;
}

struct SyncStep {
  u64 time;      // of the processor's clock, which all cores share
  Clock clock;   // of the thread after the step; see below
  uptr object;   // address, or number of a thread
  Origin where;  // calling context
  StepKind kind;
};
// Where an access of clock c stands among its thread's steps: a release moves the clock exactly if
// something was recorded before it, so after every release with clock <= c and before the first one
// with a higher clock. Acquires in between cannot be told to be before or after.

class StepRing {
 public:
  static constexpr u32 kSteps = 64;

  // By the owner only.
  void add(const SyncStep& step) {
    const u64 n = count_;
    const u64 tail = tail_of(step);
    if (n != 0) {
      Entry& last = entries_[(n - 1) % kSteps];
      if (last.tail == tail && last.object == step.object && last.clock == step.clock)
        return store_relaxed(&last.time, step.time);
    }
    // Said before anything is overwritten; see copy().
    store_relaxed(&begun_, n + 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    Entry& e = entries_[n % kSteps];
    store_relaxed(&e.time, step.time);
    store_relaxed(&e.clock, step.clock);
    store_relaxed(&e.object, step.object);
    store_relaxed(&e.tail, tail);
    store_release(&count_, n + 1);
  }

  // The steps still held, oldest first; at most kSteps. `lost`: how many there were before them.
  u32 copy(SyncStep* out, u64& lost) const;

 private:
  friend class StepLog;
  //  tail: | 24 zeros | kind : 8 | where : 32 |
  struct Entry {
    u64 time, clock, object, tail;
  };
  static u64 tail_of(const SyncStep& s) {
    return u64{raw(s.where)} | static_cast<u64>(s.kind) << 32;
  }

  u32 owner_;  // a ThreadId
  u32 next_;   // in the list of free rings: index + 1
  u64 begun_;  // steps whose writing has begun
  u64 count_;  // steps written
  Entry entries_[kSteps];
};

class StepLog {
 public:
  static constexpr usize kMaxRings = usize{1} << 18;  // 2 KiB each, present when touched
  static constexpr u32 kKeptRings = 256;

  void initialise() { rings_.reserve(); }
  // Null if there are too many threads: they go without.
  StepRing* take(ThreadId owner);
  // The owner has ended. `ring` may be null.
  void retire(StepRing* ring);
  // The ring of a thread, if it is still there. Its owner may go on writing, and when it has ended
  // it may become another thread's: ask belongs_to() after copying.
  const StepRing* find(ThreadId owner) const;
  static bool belongs_to(const StepRing& ring, ThreadId owner) {
    return load_acquire(&ring.owner_) == static_cast<u32>(owner);
  }

  void before_fork() { lock_.lock(); }
  void after_fork() { lock_.unlock(); }

 private:
  mutable SpinLock lock_;
  ReservedTable<StepRing, kMaxRings> rings_;
  u32 used_ = 0;
  u32 free_ = 0;                  // first of the list, index + 1
  u32 retired_[kKeptRings] = {};  // indices, a queue that goes round; oldest at oldest_
  u32 oldest_ = 0;
  u32 retired_count_ = 0;
};

}  // namespace bigfoot::rt
