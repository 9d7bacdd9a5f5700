// Builds that are verified (the driver's --bigfoot-verify): from the program's log and its
// synchronisation to verify::Trace, and from there to the reports.
//
// Every event that orders a thread before or after another is told here, also where clocks need no
// work because the program runs alone or a lock is not contended: the definitions speak of the
// program's events. Cheap for programs that are not verified: their threads have no trace.
#pragma once

#include "runtime/context/thread.h"

namespace bigfoot::rt {

// The exit code of a process in which something was violated.
inline constexpr int kExitUnverified = 67;

// True from the first logged access or check on.
extern bool verifying;

void log_access(ByteRange bytes, bool writes, Pc pc);
// The first `width` bytes of every `step`, over `extent` bytes; nothing if that is not positive.
struct LoggedCheck {
  uptr begin;
  i64 extent;
  u64 step;
  u64 width;
  bool writes;
};
void log_check(const LoggedCheck& check, Pc pc);

namespace verify_slow {
void acquired(Thread& t);
void releasing(Thread& t);
void memory_ends(Thread& t, ByteRange bytes);
}  // namespace verify_slow

// REQUIRES of the next three: no lock of the run time is held, for they may report.
inline void verify_acquired(Thread& t) {
  if (BF_UNLIKELY(t.trace != nullptr)) verify_slow::acquired(t);
}
inline void verify_releasing(Thread& t) {
  if (BF_UNLIKELY(t.trace != nullptr)) verify_slow::releasing(t);
}
inline void verify_memory_ends(Thread& t, ByteRange bytes) {
  if (BF_UNLIKELY(t.trace != nullptr)) verify_slow::memory_ends(t, bytes);
}
// The last event of a thread, or of the process on the thread that ends it.
void verify_thread_ends(Thread& t);

// A signal handler may run anywhere, and nothing its thread was doing can be blamed for what it
// does: between these two the thread's events are judged as those of a thread of their own.
verify::Trace* verify_handler_begins();
void verify_handler_ends(verify::Trace* interrupted);

// Of all threads that have ended; the calling thread counts as ended after verify_thread_ends.
struct VerifyCounts {
  u64 accesses = 0;
  u64 checks = 0;
  u64 violations = 0;  // places, not times
};
VerifyCounts verify_counts();

}  // namespace bigfoot::rt
