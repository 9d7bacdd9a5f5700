// From BFJ to BFJ with checks: lower, place, verify, apply. What the commands and the tests run.
#pragma once

#include <optional>
#include <string>

#include "analysis/good_checks/good_checks.h"
#include "analysis/placement/placement.h"
#include "frontends/bfj/apply.h"

namespace bigfoot::bfj {

struct PlacedProgram {
  Program program;  // with checks
  std::vector<ApplyResult::Inserted> inserted;
  placement::Placement placement;
  ir::Program analysed;  // what the plans and GoodChecks speak about
  std::vector<LoweredFunction> functions;
  std::vector<std::string> field_names;
  std::optional<good_checks::Rejection> rejection;
  std::vector<std::string> problems;
};

// Checks already in `program` are ignored.
PlacedProgram place_program(const Program& program, logic::Entailment& entailment,
                            const placement::Options& options);

// Several placements of one program, their checks side by side in one text, each marked with the
// index of its placement. Checks change nothing a program does, so that one exploration judges them
// all.
struct PlacedTogether {
  Program program;
  // By placement: why GoodChecks rejects it.
  std::vector<std::optional<std::string>> rejections;
  std::vector<std::string> problems;
};
PlacedTogether place_together(const Program& program, logic::Entailment& entailment,
                              const std::vector<placement::Options>& options);

// GoodChecks on the check statements a program already contains.
std::optional<std::string> reject_written_checks(const Program& program,
                                                 logic::Entailment& entailment,
                                                 const good_checks::Options& options);

}  // namespace bigfoot::bfj
