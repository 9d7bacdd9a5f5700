#include "runtime/report/resolver.h"

#include "runtime/report/fingerprint.h"
#include "runtime/report/frame_filter.h"

namespace bigfoot::rt::report {
namespace {

ReportKind kind_of(const Race& race, const ObjectFacts& object) {
  const bool ends =
      race.current.kind == AccessKind::kFree || race.previous.kind == AccessKind::kFree;
  if (ends || (object.kind == ObjectKind::kHeap && object.freed)) return ReportKind::kUseAfterFree;
  if (race.current.vptr || race.previous.vptr) return ReportKind::kVptrRace;
  return ReportKind::kRace;
}

const char* title_of(ReportKind kind) {
  switch (kind) {
    case ReportKind::kVptrRace:
      return "data race on vptr (ctor/dtor vs virtual call)";
    case ReportKind::kUseAfterFree:
      return "heap-use-after-free (race)";
    case ReportKind::kRace:
    case ReportKind::kFinding:
      break;
  }
  return "data race";
}

LockVerdict judge(const Report& report) {
  const ReportAccess& a = report.accesses[0];
  const ReportAccess& b = report.accesses[1];
  if (a.lock_count == 0 || b.lock_count == 0) return LockVerdict::kNothing;
  // More are held than we know of: nothing can be said.
  if (a.lock_total > a.lock_count || b.lock_total > b.lock_count) return LockVerdict::kNothing;
  bool shared = false;
  for (u32 i = 0; i < a.lock_count; ++i)
    for (u32 j = 0; j < b.lock_count; ++j) {
      const ReportHeldLock& x = a.locks[i];
      const ReportHeldLock& y = b.locks[j];
      if (report.mutexes[x.mutex].address == 0 || report.mutexes[y.mutex].address == 0)
        return LockVerdict::kNothing;
      if (x.mutex != y.mutex) continue;
      if (!x.read_mode || !y.read_mode) return LockVerdict::kNothing;
      shared = true;
    }
  return shared ? LockVerdict::kOnlyReadModes : LockVerdict::kNoneInCommon;
}

}  // namespace

Report* Resolver::begin() {
  report_ = memory_.make<Report>();
  if (report_ == nullptr) return nullptr;
  *report_ = {};
  report_->pid = sys::process_id();
  report_->time_ms = sys::wall_clock_milliseconds();
  report_->mutexes = memory_.make<ReportMutex>(kMaxReportMutexes);
  report_->threads = memory_.make<ReportThread>(kMaxReportThreads);
  report_->accesses = memory_.make<ReportAccess>(2);
  report_->histories = memory_.make<ReportHistory>(2);
  const bool ok =
      report_->mutexes != nullptr && report_->threads != nullptr && report_->accesses != nullptr;
  return ok ? report_ : nullptr;
}

Report* Resolver::race(const Race& race) {
  if (begin() == nullptr) return nullptr;
  Report& r = *report_;
  r.overlap = race.overlap;
  r.access_count = 2;
  access(race.current, r.accesses[0]);
  access(race.previous, r.accesses[1]);
  r.accesses[1].access.address = facts_.previous_begin(race);
  object(race.overlap.begin);
  r.kind = kind_of(race, r.object.facts);
  r.title = title_of(r.kind);
  r.locks = judge(r);
  r.fingerprint = fingerprint(r);
  for (u32 i = 0; i < r.access_count; ++i) history(r.accesses[i]);
  return report_;
}

Report* Resolver::finding(const Finding& finding) {
  if (begin() == nullptr) return nullptr;
  Report& r = *report_;
  r.kind = ReportKind::kFinding;
  r.title = finding.title;
  r.thread = finding.thread;
  r.where = stack(finding.where);
  thread(finding.thread);
  if (finding.address != 0) {
    object(finding.address);
    const Origin created = facts_.lock_created(finding.address);
    if (created != kNoOrigin) {
      r.mutexes[0] = {finding.address, stack(created), variable_name(finding.address)};
      r.mutex_count = 1;
    }
  }
  r.fingerprint = fingerprint(r);
  return report_;
}

ResolvedStack Resolver::stack(Origin origin) {
  if (origin == kNoOrigin) return {};
  auto* raw_stack = memory_.make<Stack>();
  if (raw_stack == nullptr) return {};
  facts_.stack(origin, *raw_stack);
  auto** pcs = memory_.make<const ResolvedPc*>(raw_stack->count);
  auto* recursive = memory_.make<bool>(raw_stack->count);
  if (pcs == nullptr || recursive == nullptr) return {};
  u32 count = 0;
  for (u32 i = 0; i < raw_stack->count; ++i) {
    if (raw_stack->pcs[i] != kOwnCalls)
      pcs[count++] = symbols_.code(raw_stack->pcs[i]);
    else if (count != 0)
      recursive[count - 1] = true;
  }
  return trimmed({pcs, count, raw_stack->truncated, recursive});
}

void Resolver::access(const Access& from, ReportAccess& to) {
  to.access = from;
  to.stack = stack(from.origin);
  if (to.stack.count != 0) to.set_told(symbols_.field(*to.stack.pcs[0]));
  thread(from.thread);
  held_locks(from, to);
}

void Resolver::held_locks(const Access& from, ReportAccess& to) {
  if (from.origin == kNoOrigin) return;
  auto* held = memory_.make<HeldLock>(kMaxShownLocks);
  to.locks = memory_.make<ReportHeldLock>(kMaxShownLocks);
  if (held == nullptr || to.locks == nullptr) return;
  to.lock_total = facts_.locks(from.locks, held);
  to.lock_count = static_cast<u32>(to.lock_total < kMaxShownLocks ? to.lock_total : kMaxShownLocks);
  for (u32 i = 0; i < to.lock_count; ++i)
    to.locks[i] = {mutex(held[i]), held[i].read_mode, stack(held[i].taken)};
}

u32 Resolver::mutex(const HeldLock& lock) {
  Report& r = *report_;
  for (u32 i = 0; i < r.mutex_count; ++i)
    if (lock.address != 0 && r.mutexes[i].address == lock.address) return i;
  ReportMutex& m =
      r.mutexes[r.mutex_count];  // two accesses with kMaxShownLocks each: there is room
  m.address = lock.address;
  if (lock.address != 0) m.created = stack(facts_.lock_created(lock.address));
  m.name = variable_name(lock.address);
  return r.mutex_count++;
}

void Resolver::object(uptr address) {
  ReportObject& o = report_->object;
  o.address = address;
  o.facts = facts_.object(address);
  if (o.facts.kind == ObjectKind::kUnknown || o.facts.kind == ObjectKind::kGlobal) {
    o.at = symbols_.modules().find_data(address);
    o.global = symbols_.global(address);
    if (o.global != nullptr) o.facts.kind = ObjectKind::kGlobal;
  }
  o.allocated = stack(o.facts.allocated);
  if (o.facts.kind != ObjectKind::kGlobal) thread(o.facts.thread);
}

Text Resolver::variable_name(uptr address) {
  const ResolvedGlobal* global = address == 0 ? nullptr : symbols_.global(address);
  return global == nullptr ? Text() : global->name;
}

// Some steps before the access and some after it; for the rule that places it see step_log.h.
void Resolver::history(const ReportAccess& access) {
  constexpr u32 kBefore = 12, kAfter = 8;
  Report& r = *report_;
  if (r.histories == nullptr) return;
  for (u32 i = 0; i < r.history_count; ++i)
    if (r.histories[i].thread == access.access.thread) return;
  auto* steps = memory_.make<SyncStep>(StepRing::kSteps);
  if (steps == nullptr) return;
  u64 lost = 0;
  const u32 count = facts_.steps(access.access.thread, steps, lost);
  u32 after = 0;  // the first step known to be after the access
  while (after < count &&
         !(step_releases(steps[after].kind) && steps[after].clock > access.access.clock))
    ++after;
  const u32 first = after > kBefore ? after - kBefore : 0;
  const u32 last = count - after > kAfter ? after + kAfter : count;
  ReportHistory& h = r.histories[r.history_count++];
  h.thread = access.access.thread;
  h.incomplete = lost != 0 || first != 0;
  h.steps = memory_.make<ReportStep>(last - first);
  if (h.steps == nullptr) return;
  for (u32 i = first; i < last; ++i) {
    const Text name = names_thread(steps[i].kind) ? Text() : variable_name(steps[i].object);
    h.steps[h.count++] = {steps[i], stack(steps[i].where), name};
  }
}

void Resolver::thread(ThreadId id) {
  Report& r = *report_;
  if (id == kNoThread || r.thread_count == kMaxReportThreads) return;
  for (u32 i = 0; i < r.thread_count; ++i)
    if (r.threads[i].facts.id == id) return;
  ReportThread& t = r.threads[r.thread_count++];
  t.facts = facts_.thread(id);
  t.facts.id = id;
  t.created = stack(t.facts.created);
  if (options_.print_full_thread_history) thread(t.facts.creator);
}

}  // namespace bigfoot::rt::report
