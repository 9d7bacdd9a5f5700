// lard.h: accesses, regions and races.
#include "runtime/base/atomic.h"
#include "runtime/base/pool.h"
#include "runtime/context/on_race.h"
#include "runtime/context/regions.h"
#include "runtime/intercept/interceptor.h"
#include "runtime/lard/misuse.h"
#include "runtime/lard/ranges.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::lard;
using bigfoot::rt::intercept::Call;

namespace {

// Never changed and never freed: a thread may be telling it while another takes its place.
struct Listener {
  bf_lard_race_handler handler;
  void* context;
};
constinit const Listener* listener = nullptr;

bf_lard_access public_access(const report::Access& a) {
  Pc site = 0;
  runtime.depot.stack(a.origin, &site, 1);
  return {reinterpret_cast<const void*>(a.address), a.size, is_write(a.kind) ? 1 : 0,
          reinterpret_cast<const void*>(site), static_cast<bf_lard_thread>(a.thread) + 1};
}

bool tell_handler(const report::Race& race) {
  const bf_lard_race told{public_access(race.current), public_access(race.previous)};
  const Listener* l = load_acquire(&listener);
  return l->handler(&told, l->context) == BF_LARD_QUIET;
}

int access(const char* function, ByteRange bytes, bool writes, Pc site, Pc caller, Racing racing) {
  const Call call(caller);
  if (!call || bytes.size == 0) return BF_LARD_OK;
  if (const char* wrong = complaint_about(bytes)) return misuse(function, wrong, caller);
  if (runtime.single) return BF_LARD_OK;  // nothing it does can race with anything
  RuntimeScope scope;
  PendingAccess p{call.thread(), bytes, writes ? AccessKind::kWrite : AccessKind::kRead, site};
  p.quiet = racing == Racing::kStopped;
  checked_access(p, racing);
  return p.raced ? BF_LARD_RACE : BF_LARD_OK;
}

Pc or_caller(const void* site, Pc caller) {
  return site != nullptr ? reinterpret_cast<Pc>(site) : caller;
}

bool region_kind(unsigned what, int tracked, RegionKind& kind) {
  if (what == 0 || (what & ~unsigned{BF_LARD_ALL}) != 0) return false;
  kind = {(what & BF_LARD_ACCESSES) != 0, (what & BF_LARD_SYNC) != 0, tracked != 0};
  return true;
}
const char* begin_name(int tracked) {
  return tracked ? "bf_lard_tracked_begin" : "bf_lard_untracked_begin";
}
const char* end_name(int tracked) {
  return tracked ? "bf_lard_tracked_end" : "bf_lard_untracked_end";
}
constexpr const char* kNoSuchRegion = "no such kind of region";

}  // namespace

BF_EXPORT unsigned __bf_lard_version() {
  return BF_LARD_VERSION;
}

BF_EXPORT int __bf_lard_access(const void* p, size_t bytes, int writes, const void* site) {
  return access(writes ? "bf_lard_write" : "bf_lard_read", {lard::address_of(p), bytes},
                writes != 0, or_caller(site, BF_PC()), BF_PC(), Racing::kRecorded);
}
BF_EXPORT int __bf_lard_try_access(const void* p, size_t bytes, int writes, const void* site) {
  return access(writes ? "bf_lard_try_write" : "bf_lard_try_read", {lard::address_of(p), bytes},
                writes != 0, or_caller(site, BF_PC()), BF_PC(), Racing::kStopped);
}

BF_EXPORT int __bf_lard_region_begin(unsigned what, int tracked) {
  const Call call(BF_PC());
  if (!call) return BF_LARD_OK;
  RegionKind kind;
  if (!region_kind(what, tracked, kind))
    return misuse(begin_name(tracked), kNoSuchRegion, call.pc());
  open_region(call.thread(), kind, call.pc());
  return BF_LARD_OK;
}
BF_EXPORT int __bf_lard_region_end(unsigned what, int tracked) {
  const Call call(BF_PC());
  if (!call) return BF_LARD_OK;
  RegionKind kind;
  if (!region_kind(what, tracked, kind)) return misuse(end_name(tracked), kNoSuchRegion, call.pc());
  const Region* open = innermost(call.thread());
  if (open == nullptr)
    return misuse(end_name(tracked), "this thread has no open region", call.pc());
  if (!(open->kind == kind))
    return misuse(end_name(tracked), "the innermost region of this thread is of another kind",
                  call.pc());
  close_region(call.thread());
  return BF_LARD_OK;
}

BF_EXPORT int __bf_lard_on_race(bf_lard_race_handler handler, void* context, int mode) {
  const Call call(BF_PC());
  if (!call) return BF_LARD_OK;
  if (mode != BF_LARD_TELL && mode != BF_LARD_STOP)
    return misuse("bf_lard_on_race", "no such mode", call.pc());
  if (const char* late = module_that_checks_late(); late != nullptr && mode == BF_LARD_STOP) {
    TextBuffer what;
    what.add("BF_LARD_STOP needs each check before its access, but ").add(late);
    what.add(" was compiled without --check-first");
    return misuse("bf_lard_on_race", what.text(), call.pc());
  }
  if (handler != nullptr) {
    RuntimeScope scope;
    auto* l = static_cast<Listener*>(pool_allocate(sizeof(Listener)));
    *l = {handler, context};
    store_release(&listener, static_cast<const Listener*>(l));
  }
  set_race_listener(handler == nullptr ? nullptr : tell_handler, mode == BF_LARD_STOP);
  return BF_LARD_OK;
}
