// Pass 1: boolean facts. Branch conditions, what survives joins, and loop invariants.
#pragma once

#include "analysis/placement/reasoner.h"

namespace bigfoot::placement {

void compute_boolean_facts(Reasoner& reasoner);

}  // namespace bigfoot::placement
