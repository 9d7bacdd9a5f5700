// Blocks that touch end to begin, as one block.
//
// What a loop's body does piece by piece (an unrolled loop, fields of a struct) is more pieces than
// a solver's budget lasts for. Their union needs no solver: every unit of [a, c) is in [a, b) or in
// [b, c), wherever b lies.
#pragma once

#include <vector>

#include "analysis/logic/range.h"

namespace bigfoot::good_checks {

// The longest runs of two and more of them. What touches no other is not repeated.
std::vector<logic::Range> runs_of(const std::vector<logic::Range>& ranges);

}  // namespace bigfoot::good_checks
