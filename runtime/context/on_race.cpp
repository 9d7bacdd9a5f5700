#include "runtime/context/on_race.h"

#include "runtime/base/atomic.h"
#include "runtime/base/string.h"
#include "runtime/base/text.h"
#include "runtime/context/arrays.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/runtime.h"
#include "runtime/options/options.h"
#include "runtime/report/report.h"

namespace bigfoot::rt {
namespace {

struct Reaction {
  RaceListener listener = nullptr;
  bool always_stops = false;  // on_race is not report
  bool traps = false;
  char late_module[256] = {};  // a copy: the module may be unloaded
};
constinit Reaction reaction;

// Who is telling the listener, and where the stack was then. Frames of what the listener calls are
// below it; a listener that was left is told again, at the latest when the stack is no deeper.
struct BeingTold {
  const Thread* thread;
  uptr frame;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local BeingTold being_told = {};

// The listener is the program's code: it may allocate, lock, access memory, or leave by longjmp,
// and then nobody comes back here to set things right. A race of its own is not told to it, which
// would have no end, but reported.
bool tell(RaceListener listener, const report::Race& race) {
  const auto here = reinterpret_cast<uptr>(__builtin_frame_address(0));
  if (being_told.thread == thread_or_null() && here < being_told.frame) return false;
  const u32 inside = __bf_thread.inside;
  __bf_thread.inside = 0;
  being_told = {thread_or_null(), here};
  const bool handled = listener(race);
  being_told = {};
  come_back_inside(inside);
  return handled;
}

}  // namespace

void initialise_on_race() {
  const Text wish = options().on_race;
  reaction.traps = wish == "trap";
  reaction.always_stops = runtime.races_stop = wish != "report";
}

void race_listener_left() {
  being_told = {};
}

void set_race_listener(RaceListener listener, bool stops) {
  if (stops) stop_using_arrays();  // what is put off cannot be stopped
  store_release(&reaction.listener, listener);
  store_relaxed(&runtime.races_stop, stops || reaction.always_stops);
}

bool module_checks_late(const char* source) {
  if (reaction.late_module[0] == 0) {
    usize n = length(source);
    if (n > sizeof(reaction.late_module) - 1) n = sizeof(reaction.late_module) - 1;
    copy_bytes(reaction.late_module, source, n);
  }
  return !races_stop();
}

const char* module_that_checks_late() {
  return reaction.late_module[0] == 0 ? nullptr : reaction.late_module;
}

bool races_stop() {
  return load_relaxed(&runtime.races_stop);
}

// Whoever did the older access may remember it, and need not record what it does to these bytes in
// the same epoch: nobody is ordered after it. But the access at hand has taken its place in the
// cells, so that this would be missed where this race is suppressed, or where the bytes are freed
// here and somebody's anew next.
void race_happened(const report::Race& race, Telling telling) {
  forget_settled_everywhere({race.current.address, race.current.size});
  RaceListener listener = load_acquire(&reaction.listener);
  if (listener != nullptr && tell(listener, race)) return;
  if (telling == Telling::kListener) return;
  report::race_found(race);
  if (BF_UNLIKELY(reaction.traps)) __builtin_debugtrap();
}

}  // namespace bigfoot::rt
