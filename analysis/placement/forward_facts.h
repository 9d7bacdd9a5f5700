// Greatest-fixed-point data flow of path facts, forwards: the shape shared by past accesses and
// past checks.
//
// At a join the history is H1 meet H2 = { h in H1 or H2 : H1 |- h and H2 |- h }. Along a back edge
// the facts of the loop head are conjectures: the first sweep assumes them, later sweeps drop those
// that some back edge does not entail, until none is dropped (Cartesian predicate abstraction).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "analysis/placement/reasoner.h"

namespace bigfoot::placement {

class ForwardFacts {
 public:
  struct Rules {
    // State at the end of a block from the state on entry.
    std::function<FactSet(ir::BlockId, const FactSet&)> transfer;
    // State on an edge from the state at the end of its source (default: unchanged).
    std::function<FactSet(ir::BlockId from, ir::BlockId to, const FactSet&)> along_edge;
    // New conjectures for a loop head from what holds on one of its back edges (default: none).
    std::function<std::vector<PathFact>(const ir::Loop&, const FactSet&)> conjecture;
    // On entry to the function (default: nothing).
    FactSet at_start;
    // With it, facts have sources that are sure: a fact that no single access is behind on all ways
    // into a block is remembered there only if this allows it (default: all are).
    std::function<bool(ir::BlockId, const PathFact&)> may_be_either;
  };

  ForwardFacts(Reasoner& reasoner, const Options& options, Rules rules);
  void solve();

  const FactSet& at_entry(ir::BlockId b) const { return entry_[index_of(b)]; }
  const FactSet& at_exit(ir::BlockId b) const { return exit_[index_of(b)]; }

 private:
  void sweep();
  FactSet through_block(ir::BlockId b);
  // What is known at the loop's head or on its back edges may have changed.
  bool swept(const ir::Loop& loop) const;
  bool update_head(const ir::Loop& loop, bool changed);
  FactSet join(ir::BlockId b);
  // Says the facts without what counts the rounds of the loops that the edge leaves.
  void respell(FactSet& state, ir::BlockId from, ir::BlockId to);
  // One fact of a predecessor, in the ways it can be said after the edge, best first.
  struct Candidate {
    ir::AccessKind kind;
    std::vector<ir::Path> spellings;
    Sources who, sure;
    bool either = false;
    bool conjecture = false;
  };
  using EdgeStates = std::vector<std::pair<ir::BlockId, FactSet>>;
  void add_candidates(ir::BlockId from, ir::BlockId to, const FactSet& state,
                      std::vector<Candidate>& candidates);
  std::optional<PathFact> first_that_holds(const Candidate& candidate, ir::BlockId b,
                                           const EdgeStates& states);
  // May the fact be remembered on entry to `b`, as far as its sources go? Fills in those that are
  // sure.
  bool find_sources(PathFact& fact, const Candidate& candidate, ir::BlockId b,
                    const EdgeStates& states);
  // `access` has touched all of `path`, if control comes this way.
  bool surely_touched(ir::BlockId from, ir::BlockId to, const FactSet& state, ir::AccessId access,
                      const ir::Path& path);
  bool keep_common_sources(PathFact& fact, ir::BlockId b, const EdgeStates& states);
  bool refine_sources(const ir::Loop& loop, const PathFact& fact);
  bool refine_alternatives(const ir::Loop& loop, const PathFact& fact);
  bool holds_on(ir::BlockId from, ir::BlockId to, const PathFact& fact);
  FactSet state_on_edge(ir::BlockId from, ir::BlockId to);
  void collect_sources(PathFact& fact, ir::BlockId from, ir::BlockId to, const FactSet& state);
  bool refine(const ir::Loop& loop);
  bool add_conjectures(const ir::Loop& loop);

  Reasoner& reasoner_;
  const Options& options_;
  Rules rules_;
  std::vector<FactSet> entry_, exit_;
  std::vector<bool> stale_, swept_;  // to be computed again; computed in the last sweep
  struct HeadState {
    std::vector<PathFact> conjectures;
    std::set<std::pair<ir::Path, ir::AccessKind>> seen;  // ever conjectured
    std::set<std::pair<ir::Path, ir::AccessKind>> rejected;
    // Sources of facts that some back edge does not have.
    std::set<std::pair<ir::Path, ir::AccessId>> unsure;
    // What back edges add to facts that are one access or another.
    std::map<std::pair<ir::Path, ir::AccessKind>, Sources> brought_back;
  };
  std::vector<HeadState> heads_;  // by block; empty for blocks that head no loop
  bool give_up_on_loops_ = false;
};

}  // namespace bigfoot::placement
