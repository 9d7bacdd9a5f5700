// Checks that a function has the form program.h promises. A front end's first line of defence.
#pragma once

#include <string>
#include <vector>

#include "analysis/ir/program.h"

namespace bigfoot::ir {

// One sentence per violation; empty when the function is well formed.
std::vector<std::string> verify(const Function& function);

}  // namespace bigfoot::ir
