// An abstract function and its plan as text, for people who look into a placement.
#pragma once

#include <string>

#include "analysis/ir/plan.h"
#include "analysis/ir/program.h"

namespace bigfoot::ir {

// Symbols are shown as name#number, or #number where they have no name.
std::string print(const Function& function, const LinearExpr& e);
std::string print(const Function& function, const Path& path);
// Blocks with their phis, instructions and edges; the plan's checks where they stand.
std::string print(const Function& function, const Plan& plan);

}  // namespace bigfoot::ir
