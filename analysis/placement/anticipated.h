// Pass 3: anticipated accesses, backwards. p is in the set when the continuation will access p with
// no acquire before that.
#pragma once

#include <set>

#include "analysis/placement/reasoner.h"

namespace bigfoot::placement {

class Anticipated {
 public:
  Anticipated(Reasoner& reasoner, const Options& options, const std::vector<ir::Effects>& effects);
  void solve();

  const FactSet& at_entry(ir::BlockId b) const { return entry_[index_of(b)]; }
  const FactSet& at_exit(ir::BlockId b) const { return exit_[index_of(b)]; }
  // What is anticipated on the edge, in the names of its source.
  FactSet on_edge(ir::BlockId from, ir::BlockId to) const;
  // The pre-set of instruction `index` of `b` from its post-set.
  void step_back(FactSet& state, ir::BlockId b, std::size_t index) const;
  // Control may go round this edge for ever, so nothing beyond it is certain (LOOP-NOTERM).
  bool may_diverge(ir::BlockId from, ir::BlockId to) const;

 private:
  // Recomputes the blocks whose inputs have changed, last block first.
  void sweep();
  void head_changed(const ir::Loop& loop);
  // Nothing after this instruction is certain to happen before an acquire.
  bool stops_anticipation(const ir::Instruction& instruction) const;
  FactSet meet(ir::BlockId b, bool& top);
  bool refine(const ir::Loop& loop);
  bool add_conjectures(const ir::Loop& loop);

  Reasoner& reasoner_;
  const Options& options_;
  const std::vector<ir::Effects>& effects_;
  std::vector<FactSet> entry_, exit_;
  // Every path is anticipated: only back edges of heads not yet visited lie ahead.
  std::vector<bool> top_at_entry_;
  std::vector<bool> stale_;
  struct HeadState {
    FactSet assumed;  // what back edges are taken to anticipate, once known
    bool known = false;
    std::vector<PathFact> conjectures;
    std::set<std::pair<ir::Path, ir::AccessKind>> seen, rejected;
  };
  std::vector<HeadState> heads_;
  bool give_up_on_loops_ = false;
  int sweeps_ = 0;
};

}  // namespace bigfoot::placement
