#include "runtime/context/runtime.h"

#include "runtime/context/events.h"
#include "runtime/context/facts.h"
#include "runtime/context/threads.h"
#include "runtime/heap/heap.h"
#include "runtime/report/report.h"

namespace bigfoot::rt {

Runtime runtime;

// Signals that arrived while the run time was busy run when it is left (intercept/signals.cpp).
// Weak: the run time works without interceptors in its unit tests.
__attribute__((weak)) void deliver_pending_signals();

RuntimeScope::~RuntimeScope() {
  if (--__bf_thread.inside != 0) return;
  if (BF_UNLIKELY(deliver_pending_signals != nullptr)) deliver_pending_signals();
}

bool inside_runtime() { return __bf_thread.inside != 0 || !runtime.ready; }

void initialise_runtime() {
  if (runtime.ready) return;
  ++__bf_thread.inside;
  runtime.stamps.initialise();
  runtime.slots.initialise();
  runtime.depot.initialise();
  runtime.sets.initialise();
  runtime.locksets.initialise();
  runtime.threads.reserve();
  heap::initialise();
  attach_main_thread();
  runtime.ready = true;
  report::initialise(program_facts());
  --__bf_thread.inside;
}

void tick(Thread& t) {
  if (!t.recorded) return;
  Stamp next = runtime.stamps.next(t.stamp, {t.slot, t.clock});
  if (next == kNoStamp) die("cannot go on", "all epochs are in use");
  t.stamp = next;
  ++t.clock;
  t.recorded = false;
  show_stamp(t);
}

}  // namespace bigfoot::rt
