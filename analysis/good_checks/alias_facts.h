// Whether alias facts (ir/alias.h) hold: the value a read is said to repeat is what its place
// holds, on every way to it, unless another thread races. Asked backwards from each such read,
// where with_alias_facts computes forwards; nothing is shared.
#pragma once

#include "analysis/good_checks/good_checks.h"
#include "analysis/ir/alias.h"

namespace bigfoot::good_checks {

// Nothing: they hold, and each function differs from its original in equal values only. `aliased`
// has one for each function.
std::optional<Rejection> verify_aliases(const ir::Program& original,
                                        const std::vector<const ir::AliasedFunction*>& aliased);

}  // namespace bigfoot::good_checks
