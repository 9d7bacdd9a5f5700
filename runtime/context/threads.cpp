// Threads: creation, start, end, join; and the question whether the program runs alone.
#include "runtime/context/threads.h"

#include "runtime/base/pool.h"
#include "runtime/base/string.h"
#include "runtime/context/boundaries.h"
#include "runtime/context/counters.h"
#include "runtime/context/events.h"
#include "runtime/context/foreign_frames.h"
#include "runtime/context/perturb.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/regions.h"
#include "runtime/context/runtime.h"
#include "runtime/context/statistics.h"
#include "runtime/context/sync_ops.h"
#include "runtime/context/verify.h"
#include "runtime/heap/heap.h"
#include "runtime/options/options.h"
#include "runtime/report/report.h"

namespace bigfoot::rt {

// What the parent hands to the child.
struct Ticket {
  ThreadId id;
  SlotLease lease;
  VectorClock parent_knows;
};

namespace {

constexpr const char* kCannotCreate = "cannot create a thread";
constexpr const char* kNoSlotLeft = "no slot left in the vector clocks";

// Main threads may have an unlimited stack; this much of it has a shadow call stack then.
constexpr usize kDefaultStackBytes = usize{64} << 20;

// For destructors of the program that run after the end of their thread as we see it: valid memory
// to push frames to. They are not nested deeply.
[[gnu::tls_model("initial-exec")]] constinit thread_local abi::Frame frames_after_end[256] = {};

// Of the logical thread that the OS thread began as.
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadId own_id = kNoThread;

ThreadRecord& record(ThreadId id) {
  return runtime.threads[static_cast<u32>(id)];
}

// REQUIRES: threads_lock held.
ThreadId new_record(ThreadId creator, Origin created) {
  if (runtime.next_thread >= Runtime::kThreads) die(kCannotCreate, "2^26 threads so far");
  ThreadId id{runtime.next_thread++};
  ThreadRecord& r = record(id);
  r.used = true;
  r.creator = creator;
  r.created = created;
  ++runtime.live;
  return id;
}

// REQUIRES: threads_lock held.
void never_began(ThreadId id) {
  record(id).finished = true;
  --runtime.live;
}

Thread* new_thread_record(ThreadId id, const SlotLease& lease) {
  auto* t = static_cast<Thread*>(pool_allocate(sizeof(Thread)));
  zero_bytes(t, sizeof(Thread));
  t->id = id;
  t->slot = lease.slot;
  t->clock = lease.clock;
  t->stamp = lease.stamp;
  t->epoch_locks = kNotTold;
  if (runtime.keeps_steps) t->steps = runtime.steps.take(id);
  store_release(&record(id).thread, t);
  return t;
}

void set_frames(Thread& t, const FrameStack& frames) {
  if (frames.bottom == nullptr) die("cannot make a shadow call stack", "out of memory");
  t.frames = t.saved_frame = frames.bottom;
  t.frames_bytes = frames.bytes;
}

// For as long as the OS thread is attached.
void begin_to_remember() {
  constexpr usize kBytes = sizeof(SettledBytes::none);
  void* blocks = pool_allocate(kBytes);
  zero_bytes(blocks, kBytes);
  __bf_thread.settled_bytes = blocks;
}
// REQUIRES: the thread is not listed any more.
void end_remembering() {
  void* blocks = __bf_thread.settled_bytes;
  __bf_thread.settled_bytes = SettledBytes::none;
  if (blocks != SettledBytes::none) pool_free(blocks, sizeof(SettledBytes::none));
}

// From here on collections wait for the thread to leave the run time: before it takes a slot, since
// the names it gets are otherwise given out a second time.
void become_known() {
  begin_to_remember();
  list_os_thread();
}

// REQUIRES: become_known().
void run_on_this_thread(Thread& t) {
  counters_attach();
  __bf_thread.thread = &t;
  hide_cursors();
  __bf_thread.frame = t.saved_frame;
  own_id = t.id;
  t.running = true;
  show_stamp(t);
}

bool take_slot(const VectorClock& creator, ThreadId owner, SlotLease& lease) {
  if (!runtime.slots.take(creator, owner, runtime.stamps, lease)) return false;
  reclaim_for_threads(lease);
  return true;
}
void lease_slot(const VectorClock& creator, ThreadId owner, SlotLease& lease) {
  if (!take_slot(creator, owner, lease)) die(kCannotCreate, kNoSlotLeft);
}

// Nothing follows it, so it counts as one that moves the clock.
SyncStep last_step(const Thread& t) {
  return {__builtin_ia32_rdtsc(), t.clock + 1, static_cast<u32>(t.id), kNoOrigin,
          StepKind::kFinish};
}

VectorClock* copy_clock(const VectorClock& c) {
  auto* copy = static_cast<VectorClock*>(pool_allocate(sizeof(VectorClock)));
  zero_bytes(copy, sizeof(VectorClock));
  copy->assign(c);
  return copy;
}

}  // namespace

// From here on there is more than one thread, or may be.
void leave_single() {
  if (!runtime.single) return;
  runtime.single = false;
  // Through the pointer: a thread made by a raw clone ends the solitude of another one.
  if (runtime.only != nullptr) show_stamp(*runtime.only_hot, raw(runtime.only->stamp));
  runtime.only = nullptr;
}

// If everybody else has ended and been waited for, the calling thread is alone and knows
// everything: whoever joined a thread has been joined later, up to this one.
void enter_single_if_alone(Thread& t) {
  if (runtime.single || runtime.live != 1 || runtime.unjoined != 0) return;
  note_solitude();
  runtime.single = true;
  runtime.only = &t;
  runtime.only_hot = &__bf_thread;
  show_stamp(t);
}

void free_thread(Thread* t) {
  record(t->id).thread = nullptr;
  lard::close_all_regions(*t);
  for (usize i = 0; i < kRuleCount; ++i) runtime.rule_totals[i] += t->rule_counts[i];
  runtime.steps.retire(t->steps);
  unmap_frames({t->frames, t->frames_bytes});
  t->knows.release_storage();
  t->release_fence.release_storage();
  t->acquire_pending.release_storage();
  t->held.release_storage();
  free_footprints(*t);
  pool_free(t, sizeof(Thread));
}

void retire_slot(const Thread& t) {
  runtime.slots.retire({t.slot, t.clock}, t.stamp, t.recorded ? t.clock : t.clock - 1);
}

Clock unpublished_time(Slot slot) {
  SpinGuard guard(runtime.threads_lock);  // so that the owner does not go away
  const SlotTable::Holder h = runtime.slots.holder(slot);
  if (h.retired) return h.last + 1;
  const Thread* owner = load_acquire(&record(h.owner).thread);
  return owner == nullptr ? h.from : load_acquire(&owner->clock);
}

// A call takes at least 16 bytes of real stack (return address and alignment), and here a frame and
// a mark of 16 each, so a shadow stack of twice the real one's size cannot overflow. The bottom
// frame has path 0; below it is the place where a mark is looked for.
FrameStack map_frames(usize stack_bytes) {
  const usize bytes = 2 * (stack_bytes == 0 ? kDefaultStackBytes : stack_bytes);
  auto* start = static_cast<abi::Frame*>(sys::map_memory(bytes));
  return {start == nullptr ? nullptr : start + 1, bytes};
}

void unmap_frames(const FrameStack& frames) {
  sys::unmap_memory(frames.bottom - 1, frames.bytes);
}

Thread* make_thread(const VectorClock& creator, ThreadId creator_id, Origin created,
                    const FrameStack& frames) {
  ThreadId id;
  {
    SpinGuard guard(runtime.threads_lock);
    id = new_record(creator_id, created);
    if (id != kMainThread) leave_single();
  }
  SlotLease lease;
  if (!take_slot(creator, id, lease)) {
    SpinGuard guard(runtime.threads_lock);
    never_began(id);
    return nullptr;
  }
  Thread* t = new_thread_record(id, lease);
  t->knows.assign(creator);
  set_frames(*t, frames);
  return t;
}

namespace {
// A thread nobody announced: the main one, or one made by a raw clone, before which nothing is
// known to have happened.
void attach() {
  static const VectorClock kNothing;
  become_known();
  Thread* t = make_thread(kNothing, kNoThread, kNoOrigin, map_frames(0));
  if (t == nullptr) die(kCannotCreate, kNoSlotLeft);
  record(t->id).os_id = sys::thread_id();
  record(t->id).detached = t->id != kMainThread;  // nobody has a handle to wait for it by
  if (t->id == kMainThread) runtime.only = t, runtime.only_hot = &__bf_thread;
  run_on_this_thread(*t);
}
}  // namespace

void attach_main_thread() {
  attach();
}

Thread* own_thread() {
  return own_id == kNoThread ? nullptr : load_acquire(&record(own_id).thread);
}

Thread& current_thread() {
  if (Thread* t = thread_or_null(); BF_LIKELY(t != nullptr)) return *t;
  if (!runtime.ready) initialise_runtime();
  if (thread_or_null() == nullptr) {
    RuntimeScope scope;
    attach();
  }
  return *thread_or_null();
}

Ticket* thread_creating(Thread& parent, Pc pc, bool detached) {
  RuntimeScope scope;
  reclaim_if_needed();
  before_release(parent);
  auto* ticket = static_cast<Ticket*>(pool_allocate(sizeof(Ticket)));
  zero_bytes(ticket, sizeof(Ticket));
  Origin created = kNoOrigin;
  {
    ForeignFrames frames(pc);
    created = event_origin(parent, pc);
  }
  {
    SpinGuard guard(runtime.threads_lock);
    ticket->id = new_record(parent.id, created);
    record(ticket->id).detached = detached;
    leave_single();
  }
  lease_slot(parent.knows, ticket->id, ticket->lease);
  ticket->parent_knows.assign(parent.knows);
  tick(parent);
  note_step(parent, StepKind::kCreate, static_cast<u32>(ticket->id), created);
  return ticket;
}

void thread_creation_failed(Ticket* ticket) {
  RuntimeScope scope;
  {
    SpinGuard guard(runtime.threads_lock);
    never_began(ticket->id);
  }
  runtime.slots.retire({ticket->lease.slot, ticket->lease.clock}, ticket->lease.stamp,
                       ticket->lease.clock - 1);
  ticket->parent_knows.release_storage();
  pool_free(ticket, sizeof(Ticket));
  enter_single_if_alone(current_thread());
}

ThreadId thread_of(const Ticket* ticket) {
  return ticket->id;
}

void thread_started(Ticket* ticket, ByteRange stack, ByteRange tls) {
  RuntimeScope scope;
  Thread* t = new_thread_record(ticket->id, ticket->lease);
  t->knows.assign(ticket->parent_knows);
  t->stack = stack;
  t->tls = tls;
  ThreadRecord& r = record(t->id);
  r.os_id = sys::thread_id();
  r.stack = stack;
  r.tls = tls;
  ticket->parent_knows.release_storage();
  pool_free(ticket, sizeof(Ticket));
  set_frames(*t, map_frames(stack.size));
  become_known();
  run_on_this_thread(*t);
  note_step(*t, StepKind::kStart, static_cast<u32>(r.creator), r.created);
  perturb(*t, PerturbPoint::kThreadStart);
  // Another thread may have used this memory as its stack; that is another story.
  forget_settled_everywhere(stack);
  forget_settled_everywhere(tls);
  if (BF_UNLIKELY(runtime.arrays_on)) no_array_any_more(*t, stack);
  clear_history(stack, nullptr, nullptr);
  clear_history(tls, nullptr, nullptr);
  forget_settled_everywhere(stack);  // as in memory_cleared()
  forget_settled_everywhere(tls);
}

void thread_finishing(Thread& last) {
  RuntimeScope scope;
  Thread& t = back_to_own_thread(last);
  lard::complain_of_open_regions(t);
  commit_footprints(t);
  release_held_locks(t);
  verify_thread_ends(t);
  if (t.steps != nullptr) t.steps->add(last_step(t));
  heap::thread_ending();
  // The stack goes back to the system or to the next thread.
  clear_history(t.stack, nullptr, nullptr);
  clear_history(t.tls, nullptr, nullptr);
  forget_settled_everywhere(t.stack);
  forget_settled_everywhere(t.tls);
  ThreadRecord& r = record(t.id);
  {
    SpinGuard guard(runtime.threads_lock);
    r.finished = true;
    r.last = {t.slot, t.clock};
    r.final_clock = r.detached ? nullptr : copy_clock(t.knows);
    --runtime.live;
    ++runtime.unjoined;
  }
  retire_slot(t);
  unlist_os_thread();
  counters_detach();
  forget_known_sets(t);
  end_remembering();
  show_stamp(__bf_thread, abi::kStampUnattached);
  __bf_thread.thread = nullptr;
  hide_cursors();
  __bf_thread.frame = frames_after_end + 1;  // below it a mark is looked for
  {
    SpinGuard guard(runtime.threads_lock);
    free_thread(&t);
  }
}

void thread_joined(Thread& t, ThreadId id, Pc pc) {
  RuntimeScope scope;
  before_acquire(t);
  VectorClock* learnt = nullptr;
  {
    SpinGuard guard(runtime.threads_lock);
    ThreadRecord& r = record(id);
    if (r.joined || !r.finished) return;
    r.joined = true;
    --runtime.unjoined;
    learnt = r.final_clock;
    r.final_clock = nullptr;
  }
  if (learnt != nullptr) {
    if (t.ignore_sync == 0) t.knows.join(*learnt);
    learnt->release_storage();
    pool_free(learnt, sizeof(VectorClock));
  }
  note_step(t, StepKind::kJoin, static_cast<u32>(id), pc);
  SpinGuard guard(runtime.threads_lock);
  enter_single_if_alone(t);
}

void thread_detached(Thread&, ThreadId id, Pc) {
  RuntimeScope scope;
  VectorClock* unused = nullptr;
  {
    SpinGuard guard(runtime.threads_lock);
    ThreadRecord& r = record(id);
    r.detached = true;
    unused = r.final_clock;
    r.final_clock = nullptr;
  }
  if (unused == nullptr) return;
  unused->release_storage();
  pool_free(unused, sizeof(VectorClock));
}

// A report names who made the older access, and with print_full_thread_history the creators of all
// threads that it names.
void forget_ended_threads() {
  const auto keep = [](ThreadId id) { runtime.threads.keep(id); };
  runtime.slots.for_each_owner(keep);
  if (options().print_full_thread_history)
    for (u32 i = 0; i < runtime.next_thread; ++i)
      if (const ThreadRecord& r = runtime.threads[i]; r.used && r.creator != kNoThread)
        keep(r.creator);
  runtime.threads.forget_others(runtime.next_thread);
}

void report_leaked_threads() {
  for (u32 i = 0; i < runtime.next_thread; ++i) {
    const ThreadRecord& r = runtime.threads[i];
    bool leaked = r.used && r.finished && !r.joined && !r.detached && !r.is_fiber && r.os_id != 0;
    if (leaked && ThreadId{i} != kMainThread)
      report::finding({"thread leak", 0, r.created, ThreadId{i}});
  }
}

void thread_named(Thread&, ThreadId id, const char* name) {
  char* to = record(id).name;
  usize n = length(name);
  if (n > sizeof(ThreadRecord::name) - 1) n = sizeof(ThreadRecord::name) - 1;
  copy_bytes(to, name, n);
  to[n] = 0;
}

// Only the calling thread exists in the child, in a copy of the memory: whatever the others did is
// before everything the child will do.
void thread_forked_child(Thread& t) {
  unlist_other_os_threads();
  counters_forked_child();
  arrays_forked_child();
  for (u32 i = 0; i < runtime.next_thread; ++i) {
    ThreadRecord& r = runtime.threads[i];
    if (r.used && ThreadId{i} != t.id) r.finished = r.joined = true;
  }
  for (u32 s = 0; s < runtime.slots.count(); ++s)
    if (Slot{s} != t.slot) t.knows.set(Slot{s}, runtime.slots.latest(Slot{s}));
  record(t.id).os_id = sys::thread_id();
  runtime.live = 1;
  runtime.unjoined = 0;
  runtime.single = false;
  enter_single_if_alone(t);
}

}  // namespace bigfoot::rt
