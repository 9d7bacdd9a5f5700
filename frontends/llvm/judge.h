// --verify-placement: GoodChecks (analysis/good_checks) on every function of a module.
#pragma once

#include <vector>

#include "analysis/logic/entailment.h"
#include "analysis/placement/placement.h"
#include "frontends/llvm/lower/lowering.h"

namespace bigfoot::frontend {

// One line for all of them, `title` says of what, and an error of the compilation for each function
// whose checks are not accepted: the rule that fails, where, and the access that is left without a
// check.
void judge_placement(const std::string& title, const ir::Program& program,
                     const placement::Placement& placement,
                     const std::vector<LoweredFunction>& functions, logic::Entailment& entailment);

}  // namespace bigfoot::frontend
