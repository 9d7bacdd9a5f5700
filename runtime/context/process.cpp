// The process: fork, end, ignoring.
#include "runtime/base/arena.h"
#include "runtime/base/pool.h"
#include "runtime/context/boundaries.h"
#include "runtime/context/events.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/regions.h"
#include "runtime/context/runtime.h"
#include "runtime/context/statistics.h"
#include "runtime/context/threads.h"
#include "runtime/context/verify.h"
#include "runtime/heap/heap.h"
#include "runtime/report/report.h"

namespace bigfoot::rt {

// Locks are taken from the outside in, so that the child finds every table in a consistent state. A
// collection goes over all of them, and waits for those that are inside: it comes first.
void process_forking(Thread& t) {
  before_release(t);
  ++__bf_thread.inside;
  reclaim_before_fork();
  report::before_fork();
  runtime.threads_lock.lock();
  runtime.syncs.lock_all();
  runtime.steps.before_fork();
  runtime.slots.before_fork();
  runtime.stamps.before_fork();
  runtime.sets.before_fork();
  runtime.arrays.before_fork();
  heap::before_fork();
  pool_before_fork();
  shadow::before_fork();
  arena_before_fork();
}

void process_forked_parent(Thread&) {
  arena_after_fork();
  shadow::after_fork();
  pool_after_fork();
  heap::after_fork_parent();
  runtime.arrays.after_fork_parent();
  runtime.sets.after_fork();
  runtime.stamps.after_fork();
  runtime.slots.after_fork();
  runtime.steps.after_fork();
  runtime.syncs.unlock_all();
  runtime.threads_lock.unlock();
  report::after_fork_parent();
  reclaim_after_fork_parent();
  --__bf_thread.inside;
}

void process_forked_child(Thread& t) {
  arena_after_fork();
  shadow::after_fork();
  pool_after_fork();
  heap::after_fork_child();
  runtime.sets.after_fork();
  runtime.stamps.after_fork();
  runtime.slots.after_fork();
  runtime.steps.after_fork();
  runtime.syncs.unlock_all();
  runtime.threads_lock.unlock();
  report::after_fork_child();
  thread_forked_child(t);
  before_acquire(t);
  --__bf_thread.inside;
}

// Without a frame of main nobody is left who could end a region; inside of one exit is no mistake.
void main_ending() {
  RuntimeScope scope;
  Thread* t = thread_or_null();
  const Thread* own = own_thread();
  if (t == nullptr || own == nullptr || own->id != kMainThread) return;
  if (__bf_thread.frame != own->frames) return;
  lard::complain_of_open_regions(back_to_own_thread(*t));
}

int process_ending(int wanted) {
  RuntimeScope scope;
  commit_all_footprints();
  report_leaked_threads();
  if (Thread* t = thread_or_null()) verify_thread_ends(*t);
  int code = report::finish(wanted);
  if (!print_statistics() && code == 0) code = report::kExitLostOutput;
  return verify_counts().violations == 0 ? code : kExitUnverified;
}

void ignore_accesses_begin(Thread& t) {
  ++t.ignore_accesses;
  no_longer_usual();
  hide_cursors();
}
void ignore_accesses_end(Thread& t) {
  if (t.ignore_accesses != 0) --t.ignore_accesses;
}
void ignore_sync_begin(Thread& t) {
  ++t.ignore_sync;
}
void ignore_sync_end(Thread& t) {
  if (t.ignore_sync != 0) --t.ignore_sync;
}

}  // namespace bigfoot::rt
