// Check placement: program in, plan out.
//
//   pass 1   boolean facts                 boolean_pass
//   pass 2   past accesses                 past_accesses
//   pass 3   anticipated accesses          anticipated
//   pass 4   past checks and check sets    check_pass, then coalesce
//
// RedCard and FastTrack are other readings of the same passes (redcard).
#pragma once

#include <vector>

#include "analysis/ir/alias.h"
#include "analysis/ir/plan.h"
#include "analysis/logic/entailment.h"
#include "analysis/placement/options.h"
#include "analysis/placement/path_facts.h"

namespace bigfoot::placement {

// H . A just before an instruction (or the terminator), before the checks placed there.
struct PointContext {
  std::vector<ir::Atom> booleans;
  FactSet past_accesses;
  FactSet past_checks;
  FactSet anticipated;
};

struct FunctionPlacement {
  // What was analysed: the function itself, or the function with alias facts. The plan speaks its
  // symbols.
  ir::AliasedFunction analysed;
  ir::Plan plan;
  // contexts[block][index], with Options::record_contexts only.
  std::vector<std::vector<PointContext>> contexts;
};

struct Placement {
  std::vector<FunctionPlacement> functions;  // by FunctionId
  // The program the plans are about, for verifying them.
  ir::Program analysed_program(const ir::Program& original) const;
};

Placement place(const ir::Program& program, logic::Entailment& entailment, const Options& options);

}  // namespace bigfoot::placement
