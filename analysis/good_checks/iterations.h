// Expressions as they read elsewhere: on an edge, in another iteration of a loop.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/ir/cfg.h"

namespace bigfoot::good_checks {

using Values = std::vector<std::pair<ir::SymbolId, ir::LinearExpr>>;

// `values` must outlive the result.
ir::LinearExpr::Replacement lookup(const Values& values);
// What the phis of `to` become on the edge from `from`.
Values phi_values(const ir::Function& f, ir::BlockId from, ir::BlockId to);
// The loop's induction variables one iteration later (direction 1) or earlier (-1).
Values next_iteration(const ir::Loop& loop, int direction);
// If one iteration does `r`, the earlier ones together did this.
std::optional<ir::Range> earlier_iterations(const ir::Loop& loop, const ir::Range& r);

void collect(const ir::LinearExpr& e, std::set<ir::SymbolId>& symbols);

}  // namespace bigfoot::good_checks
