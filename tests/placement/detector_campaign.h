// Random programs, with and without habits, under all five detectors: what each reports is the data
// races of the trace.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/logic/entailment.h"
#include "frontends/bfj/ast.h"
#include "tests/placement/campaign.h"

namespace bigfoot::bfj {

struct DetectorTotals {
  std::uint64_t programs = 0, executions = 0, racy_programs = 0;
  // Placements in which some field, some array has a proxy. With alias facts any relation counts,
  // without only symmetric ones do.
  std::uint64_t with_field_proxies = 0, with_array_proxies = 0;
  std::uint64_t with_symmetric_field_proxies = 0, with_symmetric_array_proxies = 0;
};

// Places the program, computes its proxies, has GoodChecks verify both, and explores it under the
// detectors that the placement is for (and those that look at every access).
std::optional<std::string> detector_complaint(const Program& program,
                                              const Configuration& configuration,
                                              logic::Entailment& entailment,
                                              const ExploreOptions& explore,
                                              DetectorTotals* totals = nullptr);

// Programs [first, first + count): every second has habits, every fifth may diverge. Stops at the
// first failure and returns its description with the shrunk program.
std::optional<std::string> run_detector_campaign(std::uint64_t first, std::uint64_t count,
                                                 logic::Entailment& entailment,
                                                 DetectorTotals& totals);

}  // namespace bigfoot::bfj
