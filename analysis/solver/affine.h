// The fast engine: linear arithmetic by elimination, coverage by sweeping, refutation by guessing.
#pragma once

#include "analysis/logic/entailment.h"
#include "analysis/solver/infeasible.h"

namespace bigfoot::solver {

class AffineEngine final : public logic::Entailment {
 public:
  // Steps for one query. 4000 covers every query of the random programs with a factor of ten to
  // spare; a query that needs more is handed on as Unknown.
  static constexpr std::int64_t kStepsPerQuery = 4000;

  logic::Verdict decide(const logic::Query& query) override;
};

}  // namespace bigfoot::solver
