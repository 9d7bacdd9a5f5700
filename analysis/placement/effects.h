// KillSetHistory and KillSetAnticipated: what each function may do, callees included.
#pragma once

#include <vector>

#include "analysis/ir/program.h"

namespace bigfoot::placement {

// By FunctionId. A function that calls itself, directly or not, or contains a loop that is not
// shown to end (unless `assume_termination`), may not return.
std::vector<ir::Effects> compute_effects(const ir::Program& program, bool assume_termination);

// Of one instruction, its callee included.
ir::Effects effects_of(const ir::Instruction& instruction,
                       const std::vector<ir::Effects>& of_functions);

}  // namespace bigfoot::placement
