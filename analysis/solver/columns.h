// Cutting a range along the columns of strided sources.
//
// The fields of an array of structures are columns of one stride. A check of two fields is covered
// by the checks of each, although neither of them contains a single of its elements:
//
//     target    ####....####....####....       step 8, width 4
//     sources   ##......##......##......       step 8, width 2
//               ..##......##......##....       step 8, width 2
//
// Cut where some source's elements begin or end, every piece lies in one column of each source, and
// a sweep can decide it.
#pragma once

#include <span>
#include <vector>

#include "analysis/logic/range.h"

namespace bigfoot::solver {

// Ranges with together at least the units of `target` (exactly them unless the target is contiguous
// and ends within an element of the stride). A single range when there is nothing to cut at.
// REQUIRES: target.valid().
std::vector<logic::Range> columns(const logic::Range& target,
                                  std::span<const logic::Range> sources);

}  // namespace bigfoot::solver
