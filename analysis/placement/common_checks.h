// Checks that all ways out of a block have in common stand before the ways part.
//
// An access ahead of `if (c) lock();` is checked before the call on one way and on the edge to the
// join on the other: one check is made, two are in the code, and a switch copies it into each case.
// Waiting for the branch has saved nothing then.
#pragma once

#include "analysis/ir/plan.h"
#include "analysis/placement/past_accesses.h"

namespace bigfoot::placement {

// Of a plan of `bigfoot`, sorted by point. As many checks are made on every way as before.
void join_common_checks(ir::Plan& plan, Reasoner& reasoner, const std::vector<ir::Effects>& effects,
                        const PastAccesses& past);

}  // namespace bigfoot::placement
