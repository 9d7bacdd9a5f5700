// Logical threads: a fiber is a thread of its own that some OS thread runs for a while.
#include "runtime/context/events.h"
#include "runtime/context/runtime.h"
#include "runtime/context/sync_ops.h"
#include "runtime/context/threads.h"
#include "runtime/context/verify.h"

namespace bigfoot::rt {

// Fiber is Thread under another name: the main fiber of an OS thread is that thread.
namespace {
Thread& as_thread(Fiber* f) {
  return *reinterpret_cast<Thread*>(f);
}
Fiber* as_fiber(Thread& t) {
  return reinterpret_cast<Fiber*>(&t);
}
}  // namespace

Fiber* fiber_current() {
  return as_fiber(current_thread());
}

Fiber* fiber_create(Thread& t, Pc pc) {
  RuntimeScope scope;
  verify_releasing(t);
  Thread* f = make_thread(t.knows, t.id, event_origin(t, pc), 0);
  f->is_fiber = true;
  runtime.threads[static_cast<u32>(f->id)].is_fiber = true;
  tick(t);
  return as_fiber(*f);
}

void fiber_destroy(Thread&, Fiber* fiber, Pc) {
  RuntimeScope scope;
  Thread& f = as_thread(fiber);
  verify_thread_ends(f);
  SpinGuard guard(runtime.threads_lock);
  ThreadRecord& r = runtime.threads[static_cast<u32>(f.id)];
  r.finished = true;
  --runtime.live;
  ++runtime.unjoined;  // nobody waited for it: the rest of the program may not know of its end
  retire_slot(f);
  free_thread(&f);
}

void fiber_switch(Thread& t, Fiber* to, bool synchronise, Pc) {
  RuntimeScope scope;
  Thread& next = as_thread(to);
  if (synchronise && t.ignore_sync == 0) {
    verify_releasing(t);
    verify_acquired(next);
    next.knows.join(t.knows);
    tick(t);
  }
  if (t.knows_sets) forget_known_sets(t);
  t.saved_frame = __bf_thread.frame;
  __bf_thread.thread = &next;
  __bf_thread.frame = next.saved_frame;
  show_stamp(next);
}

void fiber_named(Fiber* fiber, const char* name) {
  thread_named(current_thread(), as_thread(fiber).id, name);
}

}  // namespace bigfoot::rt
