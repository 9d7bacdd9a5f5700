#include "runtime/report/hooks.h"

#include "runtime/base/atomic.h"
#include "runtime/report/finding_kinds.h"

#define BF_VISIBLE __attribute__((visibility("default")))

namespace __tsan {
class ReportDesc;
BF_VISIBLE __attribute__((weak)) bool OnReport(const ReportDesc* report, bool suppressed);
}  // namespace __tsan

extern "C" {
BF_VISIBLE __attribute__((weak)) void __bf_on_report(const char* json);
// Defined, not only declared: debuggers stop here.
BF_VISIBLE __attribute__((weak, noinline)) void __tsan_on_report(void* report) {
  asm volatile("" : : "r"(report));
}
}

namespace bigfoot::rt::report {
namespace {

// The report each thread is being told about, for __tsan_get_current_report(). More threads than
// this in a hook at one time: the others get null.
constexpr usize kMaxCurrent = 64;
struct Current {
  u32 thread = 0;  // OS id; 0: free
  const Report* report = nullptr;
};
constinit Current current_reports[kMaxCurrent];

class CurrentReport {
 public:
  explicit CurrentReport(const Report& report) {
    for (Current& c : current_reports) {
      u32 nobody = 0;
      if (!compare_exchange(&c.thread, nobody, sys::thread_id())) continue;
      store_release(&c.report, &report);
      mine_ = &c;
      return;
    }
  }
  ~CurrentReport() {
    if (mine_ == nullptr) return;
    store_release(&mine_->report, static_cast<const Report*>(nullptr));
    store_release(&mine_->thread, u32{0});
  }
  CurrentReport(const CurrentReport&) = delete;
  CurrentReport& operator=(const CurrentReport&) = delete;

 private:
  Current* mine_ = nullptr;
};

}  // namespace

bool ask_program(const Report& report, bool suppressed) {
  if (__tsan::OnReport == nullptr) return suppressed;
  CurrentReport current(report);
  return __tsan::OnReport(reinterpret_cast<const __tsan::ReportDesc*>(&report), suppressed);
}

bool program_wants_json() {
  return __bf_on_report != nullptr;
}

void tell_program(const Report& report, const char* json) {
  CurrentReport current(report);
  if (json != nullptr && __bf_on_report != nullptr) __bf_on_report(json);
  __tsan_on_report(const_cast<Report*>(&report));
}

}  // namespace bigfoot::rt::report

// --- TSan's questions about a report
// ----------------------------------------------------------------- Results are 1 if there is such
// a thing, 0 if not. A trace gets at most `trace_size` addresses and is not terminated.

using namespace bigfoot::rt;
using namespace bigfoot::rt::report;

namespace {

const Report& report_of(void* report) {
  return *static_cast<const Report*>(report);
}

void copy_trace(const ResolvedStack& stack, void** trace, usize size) {
  for (usize i = 0; i < stack.count && i < size; ++i)
    trace[i] = reinterpret_cast<void*>(stack.pcs[i]->pc);
}

int thread_number(ThreadId id) {
  return static_cast<int>(id);
}

const char* location_type(ObjectKind kind) {
  static constexpr const char* kNames[] = {"", "heap", "global", "stack", "tls", "fd"};
  return kNames[static_cast<usize>(kind)];
}

bool has_location(const Report& r) {
  return r.object.facts.kind != ObjectKind::kUnknown;
}

}  // namespace

extern "C" {

BF_VISIBLE void* __tsan_get_current_report() {
  const u32 me = sys::thread_id();
  for (Current& c : current_reports)
    if (load_acquire(&c.thread) == me) return const_cast<Report*>(load_acquire(&c.report));
  return nullptr;
}

BF_VISIBLE int __tsan_get_report_data(void* report, const char** text, int* count, int* stack_count,
                                      int* mop_count, int* loc_count, int* mutex_count,
                                      int* thread_count, int* unique_tid_count, void** sleep_trace,
                                      unsigned long trace_size) {
  const Report& r = report_of(report);
  *text = kind_name(r);
  *count = 1;
  *stack_count = r.where.count != 0 ? 1 : 0;
  *mop_count = static_cast<int>(r.access_count);
  *loc_count = has_location(r) ? 1 : 0;
  *mutex_count = static_cast<int>(r.mutex_count);
  *thread_count = static_cast<int>(r.thread_count);
  *unique_tid_count = static_cast<int>(r.thread_count);
  if (sleep_trace != nullptr && trace_size > 0) sleep_trace[0] = nullptr;
  return 1;
}

BF_VISIBLE int __tsan_get_report_tag(void*, unsigned long* tag) {
  *tag = 0;
  return 1;
}

BF_VISIBLE int __tsan_get_report_stack(void* report, unsigned long i, void** trace,
                                       unsigned long trace_size) {
  const Report& r = report_of(report);
  if (i != 0 || r.where.count == 0) return 0;
  copy_trace(r.where, trace, trace_size);
  return 1;
}

BF_VISIBLE int __tsan_get_report_mop(void* report, unsigned long i, int* tid, void** addr,
                                     int* size, int* write, int* atomic, void** trace,
                                     unsigned long trace_size) {
  const Report& r = report_of(report);
  if (i >= r.access_count) return 0;
  const ReportAccess& a = r.accesses[i];
  *tid = thread_number(a.access.thread);
  *addr = reinterpret_cast<void*>(a.access.address);
  *size = static_cast<int>(a.access.size);
  *write = is_write(a.access.kind) ? 1 : 0;
  *atomic = is_atomic(a.access.kind) ? 1 : 0;
  copy_trace(a.stack, trace, trace_size);
  return 1;
}

BF_VISIBLE int __tsan_get_report_loc(void* report, unsigned long i, const char** type, void** addr,
                                     unsigned long* start, unsigned long* size, int* tid, int* fd,
                                     int* suppressable, void** trace, unsigned long trace_size) {
  const Report& r = report_of(report);
  if (i != 0 || !has_location(r)) return 0;
  const ReportObject& o = r.object;
  const bool is_fd = o.facts.kind == ObjectKind::kFd;
  *type = location_type(o.facts.kind);
  *addr = reinterpret_cast<void*>(o.address);
  *start = o.global != nullptr ? o.global->bytes.begin : o.facts.bytes.begin;
  *size = o.global != nullptr ? o.global->bytes.size : o.facts.bytes.size;
  *tid = thread_number(o.facts.thread);
  *fd = is_fd ? static_cast<int>(o.facts.bytes.begin) : 0;
  *suppressable = 0;
  copy_trace(o.allocated, trace, trace_size);
  return 1;
}

BF_VISIBLE int __tsan_get_report_loc_object_type(void*, unsigned long, const char** type) {
  *type = "";
  return 1;
}

BF_VISIBLE int __tsan_get_report_mutex(void* report, unsigned long i, unsigned long* id,
                                       void** addr, int* destroyed, void** trace,
                                       unsigned long trace_size) {
  const Report& r = report_of(report);
  if (i >= r.mutex_count) return 0;
  *id = i;
  *addr = reinterpret_cast<void*>(r.mutexes[i].address);
  *destroyed = 0;
  copy_trace(r.mutexes[i].created, trace, trace_size);
  return 1;
}

BF_VISIBLE int __tsan_get_report_thread(void* report, unsigned long i, int* tid,
                                        unsigned long* os_id, int* running, const char** name,
                                        int* parent, void** trace, unsigned long trace_size) {
  const Report& r = report_of(report);
  if (i >= r.thread_count) return 0;
  const ReportThread& t = r.threads[i];
  *tid = thread_number(t.facts.id);
  *os_id = t.facts.os_id;
  *running = t.facts.state == ThreadState::kRunning ? 1 : 0;
  *name = t.facts.name;
  *parent = thread_number(t.facts.creator);
  copy_trace(t.created, trace, trace_size);
  return 1;
}

BF_VISIBLE int __tsan_get_report_unique_tid(void* report, unsigned long i, int* tid) {
  const Report& r = report_of(report);
  if (i >= r.thread_count) return 0;
  *tid = thread_number(r.threads[i].facts.id);
  return 1;
}
}
