// The last step on every check set (section 4): paths of one object become one check.
#pragma once

#include <vector>

#include "analysis/ir/plan.h"
#include "analysis/placement/reasoner.h"

namespace bigfoot::placement {

// Fields of one base are grouped (base.x/y/z). Ranges of one base become a single range only if
// that denotes exactly the same elements; otherwise they stay as they are. `point` and `rule` are
// left for the caller to fill in.
std::vector<ir::PlacedCheck> coalesce(Reasoner& reasoner, Where where, const FactSet& paths);

}  // namespace bigfoot::placement
