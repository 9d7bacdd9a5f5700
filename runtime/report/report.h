// From races to what the user reads: text on stderr, JSON lines, exit code.
//
// One report at a time; races arrive from any thread and are printed in the order they arrive.
// A race whose fingerprint was printed before, or that a suppression matches, is only counted.
#pragma once

#include "runtime/base/text.h"
#include "runtime/report/race.h"

namespace bigfoot::rt::report {

// Reads options and suppression files; one clear line and exit on bad input. Called once at
// start-up, before any other thread exists.
void initialise(const Facts& facts);

// Reports the race (or counts it as a duplicate or as suppressed). Returns true if it was printed.
// Ends the process if halt_on_error is set.
bool race_found(const Race& race);

// Other findings use the same channels: "mutex destroyed while locked", "unlock of an unlocked
// mutex", "thread leak". `title` is TSan's wording, e.g. "double lock of a mutex".
struct Finding {
  const char* title;
  uptr address;
  Origin where;
  ThreadId thread;
};
bool finding(const Finding& f);

// The exit code where not all that was to be written could be, and nothing else made it tell.
inline constexpr int kExitLostOutput = 74;  // EX_IOERR

// One line about a wrong call of ours: "bigfoot: <what>, called in f() file.cpp:12:5". Each `what` is
// said once for each place. No report: it does not count, and the exit code stays.
void complain(Text what, Pc caller);

struct Counts {
  u64 reported = 0;
  u64 duplicates = 0;
  u64 suppressed = 0;
  u64 dropped = 0;  // beyond max_reports, or found while the same thread was reporting
  u64 given_up = 0;  // how often history was, to save memory
};
Counts counts();
// To be said at the end. May be called while other threads are stopped.
void history_given_up();

// At exit: unused suppressions if asked for, the closing line, the log flushed. Returns the exit
// code for a process that wanted `wanted`.
int finish(int wanted);

// After dlopen and before dlclose: the map of modules is read again, so that an access in a module
// that goes away keeps its name.
void modules_changing();

// After fork in the child: locks reopened, the log follows log_path with the new pid.
void after_fork_child();
// Lock and unlock around fork.
void before_fork();
void after_fork_parent();

}  // namespace bigfoot::rt::report
