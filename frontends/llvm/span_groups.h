// Field proxies for redcard and slimcard, which check each access where it stands.
//
// In RedCard the check of one field speaks for another one if every span (a stretch of execution
// without a release) that accesses this one accesses that one, too. Here a span is instructions of
// one block that neither synchronise nor call. All of them are executed if the first is, so one
// check of several fields can stand where the first of theirs stood: no acquire lies between it and
// its accesses, no release between them and it. BigFoot needs none of this: its placement has
// brought checks of one object together before.
#pragma once

#include "analysis/ir/plan.h"
#include "frontends/llvm/proxies.h"

namespace bigfoot::frontend {

// A plan with one access for each check, and what of it could be one check.
class SpanGroups {
 public:
  // REQUIRES: `plan` is about `abstract`, which was lowered together with `f`. All outlive this.
  // `proxies` tells the fields of accesses.
  SpanGroups(const ir::Function& abstract, const LoweredFunction& f, const ir::Plan& plan,
             const FieldProxies& proxies);

  // As if all that could be one check were: what the module's proxies are to be found from.
  void note(FieldProxies& proxies) const;
  // The plan's checks, with those of each group that was decided on as one check, sorted by point.
  std::vector<ir::PlacedCheck> join(const FieldProxies& proxies) const;

 private:
  // Neighbouring fields of one object that one span checks, in ascending order: checks of the plan.
  using Run = std::vector<std::size_t>;
  std::vector<Run> runs_of(std::vector<std::size_t> object) const;
  ir::PlacedCheck joined(const Run& run) const;

  const LoweredFunction& f_;
  const ir::Plan& plan_;
  std::vector<std::vector<Run>> objects_;  // of one span each
};

}  // namespace bigfoot::frontend
