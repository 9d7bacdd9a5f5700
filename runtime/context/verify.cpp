#include "runtime/context/verify.h"

#include "runtime/base/hash_map.h"
#include "runtime/base/pool.h"
#include "runtime/base/print.h"
#include "runtime/base/spin_lock.h"
#include "runtime/context/events.h"
#include "runtime/context/runtime.h"
#include "runtime/report/report.h"
#include "runtime/verify/trace.h"

namespace bigfoot::rt {

constinit bool verifying = false;

namespace {

using verify::Moment;
using verify::Violation;

struct State {
  SpinLock lock;
  HashMap<bool> seen;  // places that were reported
  VerifyCounts counts;
};
// Never destroyed: threads may still run when the process ends.
alignas(State) constinit char state_storage[sizeof(State)] = {};
State& state() {
  return *reinterpret_cast<State*>(state_storage);
}

const char* title_of(const Violation& v) {
  if (v.is_check)
    return v.writes ? "check of a write that does not happen"
                    : "check of a read that does not happen";
  return v.writes ? "write that no check covers" : "read that no check covers";
}

const char* name_of(Moment m) {
  switch (m) {
    case Moment::kAcquire:
      return "an acquire";
    case Moment::kMemoryEnds:
      return "the end of the memory";
    case Moment::kThreadEnds:
      return "the end of the thread";
  }
  return "";
}

void say_why(const Violation& v) {
  LineBuffer<256> line;
  line.add("bigfoot: verify: ").add_decimal(v.bytes).add(" bytes at ").add_hex(v.address);
  line.add(v.is_check ? " were checked and not " : " were ").add(v.writes ? "written" : "read");
  line.add(v.is_check ? "" : " and not checked").add(" before ").add(name_of(v.moment));
  line.add(":\n").write_to(sys::kStderr);
}

void on_violation(void* context, const Violation& v) {
  const Thread& t = *static_cast<Thread*>(context);
  const u64 place = u64{static_cast<u32>(v.site)} << 2 | u64{v.is_check} << 1 | u64{v.writes};
  {
    SpinGuard guard(state().lock);
    if (!state().seen.insert(place + 1).fresh) return;
    ++state().counts.violations;
  }
  say_why(v);
  report::finding({title_of(v), v.address, Origin{static_cast<u32>(v.site)}, t.id});
}

verify::Judge judge(Thread& t) {
  return {&t, on_violation};
}

verify::Trace& trace_of(Thread& t) {
  if (t.trace == nullptr) {
    t.trace = static_cast<verify::Trace*>(pool_allocate(sizeof(verify::Trace)));
    zero_bytes(t.trace, sizeof(verify::Trace));
    store_relaxed(&verifying, true);
  }
  return *t.trace;
}

verify::Site site_of(Thread& t, Pc pc, bool writes, u64 size) {
  const AccessKind kind = writes ? AccessKind::kWrite : AccessKind::kRead;
  return verify::Site{raw(t.origins.get(runtime.depot, place(t, pc, kind, size)))};
}

// Code of the program that the run time itself calls is not part of what is verified.
bool logs() {
  return runtime.ready && __bf_thread.inside == 0;
}

}  // namespace

void log_access(ByteRange bytes, bool writes, Pc pc) {
  if (!logs() || bytes.size == 0) return;
  RuntimeScope scope;
  Thread& t = current_thread();
  trace_of(t).access(bytes, writes, site_of(t, pc, writes, bytes.size));
}

void log_check(const LoggedCheck& c, Pc pc) {
  if (!logs() || c.extent <= 0) return;
  RuntimeScope scope;
  Thread& t = current_thread();
  verify::Trace& trace = trace_of(t);
  const verify::Site site = site_of(t, pc, c.writes, c.width);
  const auto extent = static_cast<usize>(c.extent);
  trace.count_check();
  if (c.step == c.width) return trace.check({c.begin, extent}, c.writes, site);
  for (usize offset = 0; offset < extent; offset += c.step)
    trace.check({c.begin + offset, c.width}, c.writes, site);
}

void verify_slow::acquired(Thread& t) {
  if (t.ignore_sync != 0) return;
  RuntimeScope scope;
  t.trace->acquired(judge(t));
}

void verify_slow::releasing(Thread& t) {
  if (t.ignore_sync != 0) return;
  RuntimeScope scope;
  t.trace->releasing();
}

void verify_slow::memory_ends(Thread& t, ByteRange bytes) {
  RuntimeScope scope;
  t.trace->memory_ends(bytes, judge(t));
}

void verify_thread_ends(Thread& t) {
  if (t.trace == nullptr) return;
  RuntimeScope scope;
  verify::Trace* trace = t.trace;
  t.trace = nullptr;
  trace->thread_ends(judge(t));
  {
    SpinGuard guard(state().lock);
    state().counts.accesses += trace->accesses();
    state().counts.checks += trace->checks();
  }
  trace->release_storage();
  pool_free(trace, sizeof(verify::Trace));
}

verify::Trace* verify_handler_begins() {
  Thread* t = thread_or_null();
  if (t == nullptr) return nullptr;
  verify::Trace* interrupted = t->trace;
  t->trace = nullptr;
  return interrupted;
}

void verify_handler_ends(verify::Trace* interrupted) {
  Thread* t = thread_or_null();
  if (t == nullptr) return;
  verify_thread_ends(*t);
  t->trace = interrupted;
}

VerifyCounts verify_counts() {
  SpinGuard guard(state().lock);
  return state().counts;
}

}  // namespace bigfoot::rt
