// Collecting names that nobody mentions any more: stamps and sets of reads, and what hangs on them.
//
// Both are small numbers kept in shadow cells; both are given out and never handed back one by one.
// When many of either have been given out, one thread stops all others at the door of the run time,
// walks the resident shadow, marks what is mentioned and sweeps the rest. Instrumented code keeps
// running meanwhile: it only compares. A walk comes after as many new names, slots or threads as
// make its cost small beside theirs: so their memory is bounded by that of the shadow, however long
// a program locks, unlocks, and makes threads.
//
// With the stamps go the locks held in their epochs (sync/lockset.h), the owners that slots had at
// those times (clock/slots.h) and the records of threads that have ended (context/threads.h).
//
// Stopping needs no cost on the fast side beyond one load: who enters the run time raises its
// `inside` count and looks at `paused`; who stops sets `paused` and then makes every thread of the
// process pass a memory barrier (membarrier), so that of the two at least one sees the other.
//
// What is given up if the system refuses membarrier: tables grow until they are full, and then the
// run ends with a clear line.
#pragma once

#include "runtime/clock/slots.h"
#include "runtime/context/thread.h"

namespace bigfoot::rt {

// After the tables and the options are there.
void initialise_reclaim();
// A thread has been given a slot: whether there are enough that have ended to look at what is still
// mentioned of them.
void reclaim_for_threads(const SlotLease& lease);

// Called at points where the thread holds no lock of the run time.
void reclaim_if_needed();
// Whether it would collect: then new sets should not be made where it is not called.
bool reclaim_is_due();

// Collects after so many new sets of reads, however long the walk; for tests.
void set_reclaim_interval(u64 sets);

struct ReclaimCounts {
  u64 runs = 0;
  u64 sets_before = 0;  // of the last run
  u64 sets_after = 0;
  u64 chunks_left = 0;
};
ReclaimCounts reclaim_counts();

// Stops the others as above, as long as it lives. REQUIRES: no lock of the run time is held.
class OthersStopped {
 public:
  OthersStopped();
  ~OthersStopped();
  OthersStopped(const OthersStopped&) = delete;
  OthersStopped& operator=(const OthersStopped&) = delete;

  // False: they cannot be stopped, and run.
  explicit operator bool() const { return stopped_; }
  // Calls `visit` for each of them (and for its fiber that runs). REQUIRES: they are stopped.
  void for_each(void (*visit)(void* context, Thread& t), void* context) const;

 private:
  bool stopped_;
};
// Whether the calling thread has stopped the others.
bool others_are_stopped();
// The same for a visit. Does nothing if they cannot be stopped.
void visit_stopped_threads(void (*visit)(void* context, Thread& t), void* context);

// The thread waits in the middle of something, counted as outside.
bool is_waiting_inside();
// Back from code of the program that was called with `inside` at zero, once nobody is stopped.
void come_back_inside(u32 depth);

// Calls `visit` for the hot part of each OS thread that is listed; they run meanwhile. REQUIRES: no
// lock of the run time is held.
void for_each_os_thread(void (*visit)(void* context, abi::ThreadHot& hot), void* context);

// No collection begins or is going on, and no thread is listed or unlisted, until the latter; in
// the child, unlist_other_os_threads() takes its place.
void reclaim_before_fork();
void reclaim_after_fork_parent();

// Every OS thread that may enter the run time is listed while it is attached.
void list_os_thread();
void unlist_os_thread();
void unlist_other_os_threads();  // in the child of fork

}  // namespace bigfoot::rt
