// Names that must be unique or must exist.
#pragma once

#include <vector>

#include "frontends/bfj/parser.h"

namespace bigfoot::bfj {

std::vector<Diagnostic> check_names(const Program& program);

}  // namespace bigfoot::bfj
