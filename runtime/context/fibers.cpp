// Logical threads: a fiber is a thread of its own that some OS thread runs for a while.
#include "runtime/context/boundaries.h"
#include "runtime/context/events.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/regions.h"
#include "runtime/context/runtime.h"
#include "runtime/context/sync_ops.h"
#include "runtime/context/threads.h"
#include "runtime/context/verify.h"
#include "runtime/report/report.h"

namespace bigfoot::rt {

// Fiber is Thread under another name: the main fiber of an OS thread is that thread.
namespace {
Thread& as_thread(Fiber* f) {
  return *reinterpret_cast<Thread*>(f);
}
Fiber* as_fiber(Thread& t) {
  return reinterpret_cast<Fiber*>(&t);
}
// Where lard.h was called last to leave the OS thread's own logical thread; 0 if it was left in
// another way.
[[gnu::tls_model("initial-exec")]] constinit thread_local Pc left_own_thread_at = 0;

void order(Thread& before, Thread& after) {
  before_release(before);
  before_acquire(after);
  after.knows.join(before.knows);
  tick(before);
}
}  // namespace

Fiber* fiber_current() {
  return as_fiber(current_thread());
}

Fiber* fiber_create(Thread& t, usize stack_bytes, Pc pc) {
  RuntimeScope scope;
  reclaim_if_needed();
  const FrameStack frames = map_frames(stack_bytes);
  if (frames.bottom == nullptr) return nullptr;
  before_release(t);
  Thread* f = make_thread(t.knows, t.id, event_origin(t, pc), frames);
  if (f == nullptr) {
    unmap_frames(frames);
    return nullptr;
  }
  f->is_fiber = true;
  runtime.threads[static_cast<u32>(f->id)].is_fiber = true;
  tick(t);
  return as_fiber(*f);
}

void fiber_destroy(Thread&, Fiber* fiber, Pc) {
  RuntimeScope scope;
  Thread& f = as_thread(fiber);
  lard::complain_of_open_regions(f);
  commit_footprints(f);
  verify_thread_ends(f);
  SpinGuard guard(runtime.threads_lock);
  ThreadRecord& r = runtime.threads[static_cast<u32>(f.id)];
  r.finished = true;
  --runtime.live;
  ++runtime.unjoined;  // nobody waited for it: the rest of the program may not know of its end
  retire_slot(f);
  free_thread(&f);
}

void fiber_switch(Thread& t, Fiber* to, FiberSwitch how, Pc pc) {
  RuntimeScope scope;
  Thread& next = as_thread(to);
  commit_footprints(t);  // nobody would do it for a fiber that does not run
  if (how.ordered && t.ignore_sync == 0) {
    order(t, next);
    note_step(t, StepKind::kRelease, reinterpret_cast<uptr>(to), pc);
    note_step(next, StepKind::kAcquire, reinterpret_cast<uptr>(to), kNoOrigin);
  }
  if (t.knows_sets) forget_known_sets(t);
  if (!t.is_fiber) left_own_thread_at = 0;
  store_relaxed(&next.running, true);
  __bf_thread.thread = &next;
  hide_cursors();
  if (!how.same_stack) {
    t.saved_frame = __bf_thread.frame;
    __bf_thread.frame = next.saved_frame;
  }
  show_stamp(next);
  store_release(&t.running, false);  // from here on another OS thread may run it
}

void fiber_named(Fiber* fiber, const char* name) {
  thread_named(current_thread(), as_thread(fiber).id, name);
}

ThreadId fiber_id(const Fiber* fiber) {
  return reinterpret_cast<const Thread*>(fiber)->id;
}

namespace {
// Null if there is no such thread any more. It may end meanwhile if the caller's own threads
// disagree about who owns it; that cannot be diagnosed, only avoided.
Thread* living(ThreadId id) {
  if (static_cast<u32>(id) >= load_relaxed(&runtime.next_thread)) return nullptr;
  return load_acquire(&runtime.threads[static_cast<u32>(id)].thread);
}
}  // namespace

FiberUse fiber_destroy_checked(Thread& t, ThreadId id, Pc pc) {
  Thread* f = living(id);
  if (f == nullptr) return FiberUse::kUnknown;
  if (!f->is_fiber) return FiberUse::kIsOsThread;
  bool idle = false;
  if (!compare_exchange(&f->running, idle, true)) return FiberUse::kRuns;
  if (f->regions != nullptr) {
    store_release(&f->running, false);
    return FiberUse::kInRegion;
  }
  fiber_destroy(t, as_fiber(*f), pc);
  return FiberUse::kDone;
}

FiberUse fiber_switch_checked(Thread& t, ThreadId id, FiberSwitch how, Pc pc) {
  if (id == t.id) return FiberUse::kDone;
  Thread* next = living(id);
  if (next == nullptr) return FiberUse::kUnknown;
  if (!next->is_fiber && next != own_thread())
    return load_relaxed(&next->running) ? FiberUse::kRunsElsewhere : FiberUse::kIsAnothersOwn;
  bool idle = false;
  if (!compare_exchange(&next->running, idle, true)) return FiberUse::kRunsElsewhere;
  if (how.ordered) {
    RuntimeScope scope;
    order(t, *next);
  }
  how.ordered = false;
  const bool leaves_own = !t.is_fiber;
  fiber_switch(t, as_fiber(*next), how, pc);
  if (leaves_own) left_own_thread_at = pc;
  return FiberUse::kDone;
}

Thread& back_to_own_thread(Thread& t) {
  Thread* own = own_thread();
  bool idle = false;
  if (own == nullptr || own == &t || !compare_exchange(&own->running, idle, true)) return t;
  const Pc left = left_own_thread_at;
  if (left != 0)
    report::complain("bf_lard_thread_switch: the OS thread ended as another thread than its own",
                     left);
  // Contexts that the program switches itself follow each other; logical threads do not.
  fiber_switch(t, as_fiber(*own), {.ordered = left == 0, .same_stack = true}, left);
  return *own;
}

FiberUse fiber_named_checked(ThreadId id, const char* name) {
  Thread* f = living(id);
  if (f == nullptr) return FiberUse::kUnknown;
  fiber_named(as_fiber(*f), name);
  return FiberUse::kDone;
}

}  // namespace bigfoot::rt
