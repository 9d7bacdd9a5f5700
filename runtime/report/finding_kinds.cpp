#include "runtime/report/finding_kinds.h"

namespace bigfoot::rt::report {
namespace {

using enum SuppressionType;
constexpr auto kMutexBugs = &Options::report_mutex_bugs;

constexpr FindingKind kKinds[] = {
    {"thread leak", "thread-leak", kThread, &Options::report_thread_leaks},
    {"destroy of a locked mutex", "locked-mutex-destroy", kMutex, &Options::report_destroy_locked},
    {"double lock of a mutex", "mutex-double-lock", kMutex, kMutexBugs},
    {"use of an invalid mutex (e.g. uninitialized or destroyed)", "mutex-invalid-access", kMutex,
     kMutexBugs},
    {"unlock of an unlocked mutex (or by a wrong thread)", "mutex-bad-unlock", kMutex, kMutexBugs},
    {"read lock of a write locked mutex", "mutex-bad-read-lock", kMutex, kMutexBugs},
    {"read unlock of a write locked mutex", "mutex-bad-read-unlock", kMutex, kMutexBugs},
    {"signal-unsafe call inside of a signal", "signal-unsafe-call", kSignal, &Options::report_bugs},
    {"signal handler spoils errno", "errno-in-signal-handler", kSignal, &Options::report_bugs},
    {"lock-order-inversion (potential deadlock)", "lock-order-inversion", kDeadlock,
     &Options::report_bugs},
};
constexpr FindingKind kOtherMutexBug = {"mutex", "mutex-bug", kMutex, kMutexBugs};
constexpr FindingKind kOther = {"", "other", kRace, &Options::report_bugs};

}  // namespace

const FindingKind& finding_kind(Text title) {
  for (const FindingKind& k : kKinds)
    if (title == k.title) return k;
  return title.contains("mutex") ? kOtherMutexBug : kOther;
}

const char* kind_name(const Report& report) {
  switch (report.kind) {
    case ReportKind::kRace:
      return "data-race";
    case ReportKind::kVptrRace:
      return "data-race-vptr";
    case ReportKind::kUseAfterFree:
      return "heap-use-after-free";
    case ReportKind::kFinding:
      break;
  }
  return finding_kind(report.title).description;
}

}  // namespace bigfoot::rt::report
