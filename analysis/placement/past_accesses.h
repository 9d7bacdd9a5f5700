// Pass 2: past accesses. p is in the set when it was accessed with no release since.
#pragma once

#include <set>

#include <memory>

#include "analysis/placement/forward_facts.h"

namespace bigfoot::placement {

class PastAccesses {
 public:
  PastAccesses(Reasoner& reasoner, const Options& options, const std::vector<ir::Effects>& effects,
               FactSet at_start = {});

  const FactSet& at_entry(ir::BlockId b) const { return facts_.at_entry(b); }
  const FactSet& at_exit(ir::BlockId b) const { return facts_.at_exit(b); }
  // Rules READ, WRITE, A-READ, A-WRITE, REL, CALL on the history, for instruction `index` of `b`.
  void step(FactSet& state, ir::BlockId b, std::size_t index) const;
  // A check set must be placed before this instruction because step() will forget accesses that no
  // rule of the paper makes it forget: the set has grown to its budget.
  bool forgets_for_budget(const FactSet& state, ir::BlockId b, std::size_t index) const;

  // redcard: paths known to have been accessed when a call comes back, by instruction.
  using Ensured = std::function<std::vector<PathFact>(const ir::Call&)>;
  void set_ensured(Ensured ensured) { ensured_ = std::move(ensured); }
  // Loops whose accesses are checked each time round instead of being remembered until their end.
  void set_settled(std::set<ir::BlockId> headers) { settled_ = std::move(headers); }
  // Accesses that are not to be remembered as "this one or another".
  void set_apart(std::set<ir::AccessId> accesses) { apart_ = std::move(accesses); }
  void solve() { facts_.solve(); }

 private:
  ForwardFacts::Rules rules(FactSet at_start);
  bool may_be_either(ir::BlockId b, const PathFact& f) const;

  Reasoner& reasoner_;
  const Options& options_;
  const std::vector<ir::Effects>& effects_;
  Ensured ensured_;
  std::set<ir::BlockId> settled_;
  std::set<ir::AccessId> apart_;
  ForwardFacts facts_;
};

}  // namespace bigfoot::placement
