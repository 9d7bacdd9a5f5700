// Judges races and findings one after the other and writes those that are new.
//
// All state of report/ is in one Reporter; report.cpp holds the process's own, the tests make
// theirs with a fake Facts and a fake Symbolizer. Any thread may call; everything but the answer
// "seen before" is under one lock, during which the calling thread takes no signals (a handler that
// races would otherwise wait for itself). Formatting and the program's hooks run outside of the
// lock.
#pragma once

#include "runtime/base/spin_lock.h"
#include "runtime/options/options.h"
#include "runtime/report/output.h"
#include "runtime/report/report.h"
#include "runtime/report/resolver.h"
#include "runtime/report/seen_races.h"
#include "runtime/report/suppressions.h"

namespace bigfoot::rt::report {

class Reporter {
 public:
  // Bad options and suppressions end the process with one line.
  Reporter(const Facts& facts, Symbolizer& symbolizer, const Options& options);

  bool race_found(const Race& race);
  bool finding(const Finding& finding);
  void complain(Text what, Pc caller);
  Counts counts() const;
  void history_given_up() { fetch_add(&given_up_, u64{1}); }
  int finish(int wanted);
  void modules_changing();

  void before_fork();
  void after_fork_parent();
  void after_fork_child();

 private:
  class Lock;
  // A report that is new, with the suppression that covers it, if any; `report` is null if it is
  // not new.
  struct Judged {
    const Report* report = nullptr;
    Suppression* suppression = nullptr;
  };
  Judged judge_race(const Race& race, u64 seen_key, ReportMemory& memory);
  Judged judge_finding(const Finding& finding, ReportMemory& memory);
  Judged judge(const Report& report);
  bool deliver(const Judged& judged);
  bool publish(const Report& report);
  void count_suppressed(Suppression* suppression);
  void count_seen(Verdict verdict);
  Verdict verdict_of(const Suppression* suppression) const;
  u64 object_key(const Race& race);
  u64 place_of(Origin origin);
  void describe_run();
  void enter();
  void leave();
  [[noreturn]] void halt();

  const Facts& facts_;
  Symbolizer& symbolizer_;
  const Options& options_;
  SeenCache seen_;

  SpinLock lock_;
  u32 owner_ = 0;            // OS id of the thread that holds lock_
  u64 blocked_signals_ = 0;  // what the owner had blocked itself

  // Under lock_.
  Output output_;
  Keeper keeper_;
  SymbolCache symbols_;
  HashMap<bool> printed_places_;  // keys of (code address, code address, object)
  HashMap<bool> printed_fingerprints_;
  HashMap<bool> complaints_;
  Stack* scratch_ = nullptr;

  // Constant after construction, but for the hits.
  Suppressions suppressions_;
  ReportRun run_;

  // Changed by atomic adds.
  u64 reported_ = 0;
  u64 duplicates_ = 0;
  u64 suppressed_ = 0;
  u64 dropped_ = 0;
  u64 given_up_ = 0;
};

}  // namespace bigfoot::rt::report
