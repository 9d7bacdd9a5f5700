// RedCard on the same passes: a check at every access, except where the access is redundant because
// its path was already accessed (and so checked) in the current release-free span.
#pragma once

#include "analysis/placement/placement.h"

namespace bigfoot::placement {

// Fills in plans and specifications for all of `functions` (already in the form to be analysed).
// With Options::interprocedural, methods get requires/ensures: paths every caller has accessed, and
// paths accessed on every way through; otherwise every call ends the span. Detector::FastTrack
// keeps every check.
void place_redcard(const ir::Program& program, logic::Entailment& entailment,
                   const Options& options, const std::vector<ir::Effects>& effects,
                   std::vector<FunctionPlacement>& functions);

}  // namespace bigfoot::placement
