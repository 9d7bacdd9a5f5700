// Pass 4: past checks, and the check set C of every place where a check may be needed.
//
//   Checks(H, A)      what was accessed and is neither checked nor anticipated
//   Checks(H, H', A)  the same, for accesses that H' does not remember
#pragma once

#include <initializer_list>

#include "analysis/placement/anticipated.h"
#include "analysis/placement/past_accesses.h"
#include "analysis/placement/placement.h"

namespace bigfoot::placement {

class CheckPass {
 public:
  CheckPass(Reasoner& reasoner, const Options& options, const std::vector<ir::Effects>& effects,
            const PastAccesses& past, const Anticipated& anticipated);
  // Fills in the plan (and the contexts).
  void run(FunctionPlacement& result);

 private:
  struct CheckSet {
    ir::Point point;
    const char* rule;
    FactSet paths;
  };

  ForwardFacts::Rules rules();
  // Walks a block from its entry; reports each check set through `place`.
  template <class Place>
  FactSet walk(ir::BlockId b, const FactSet& checked_at_entry, Place place) const;
  template <class Place>
  void before_instruction(ir::BlockId b, std::size_t i, const FactSet& past, FactSet& checked,
                          const std::vector<FactSet>& anticipated, Place place) const;

  bool settled_in_parts(Where where, const PathFact& f,
                        std::initializer_list<const FactSet*> sets) const;
  FactSet checks(Where where, const FactSet& past, const FactSet& checked,
                 const FactSet& anticipated, const FactSet* remembered) const;
  FactSet checks_on_edge(ir::BlockId from, ir::BlockId to, const FactSet& checked,
                         const char** rule) const;
  FactSet hoisted_checks(ir::BlockId from, ir::BlockId to, const FactSet& checked) const;
  FactSet remembered_on_edge(ir::BlockId from, ir::BlockId to) const;
  // Anticipated sets before each instruction and before the terminator.
  std::vector<FactSet> anticipated_in(ir::BlockId b) const;
  Sources accessed_by_every_round(const ir::Loop& loop, const PathFact& f) const;
  void compute_hoistable();

  void emit(ir::Plan& plan, CheckSet set);
  void record_hints(ir::Plan& plan) const;
  void record_contexts(FunctionPlacement& result);
  void explain(ir::Plan& plan);

  Reasoner& reasoner_;
  const Options& options_;
  const std::vector<ir::Effects>& effects_;
  const PastAccesses& past_;
  const Anticipated& anticipated_;
  // Loop-invariant paths that a possibly endless loop accesses each time round and that are certain
  // to be accessed once it is entered: checked before the loop. By header block.
  std::vector<FactSet> hoistable_;
  ForwardFacts checked_;
};

}  // namespace bigfoot::placement
