// Looks up everything a report says: stacks, threads, the object, locks.
#pragma once

#include "runtime/options/options.h"
#include "runtime/report/report.h"
#include "runtime/report/resolved.h"

namespace bigfoot::rt::report {

class Resolver {
 public:
  Resolver(const Facts& facts, SymbolCache& symbols, const Options& options, ReportMemory& memory)
      : facts_(facts), symbols_(symbols), options_(options), memory_(memory) {}

  // Null if there is no memory for it.
  Report* race(const Race& race);
  Report* finding(const Finding& finding);

 private:
  Report* begin();
  ResolvedStack stack(Origin origin);
  void access(const Access& from, ReportAccess& to);
  void held_locks(const Access& from, ReportAccess& to);
  u32 mutex(const HeldLock& lock);
  void object(uptr address);
  void history(const ReportAccess& access);
  Text variable_name(uptr address);
  void thread(ThreadId id);

  const Facts& facts_;
  SymbolCache& symbols_;
  const Options& options_;
  ReportMemory& memory_;
  Report* report_ = nullptr;
};

}  // namespace bigfoot::rt::report
