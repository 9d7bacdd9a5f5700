// Z3 behind the Entailment interface. The only folder that includes z3.h; the handle types stay in
// the source file so that nobody else needs the library's headers.
#pragma once

#include <memory>

#include "analysis/logic/entailment.h"

namespace bigfoot::solver {

class Z3Engine final : public logic::Entailment {
 public:
  // Z3's own deterministic resource count per query (its `rlimit`), never a time-out.
  static constexpr unsigned kResourceLimit = 2'000'000;

  Z3Engine();
  ~Z3Engine() override;
  logic::Verdict decide(const logic::Query& query) override;

 private:
  struct Handles;
  std::unique_ptr<Handles> z3_;
};

}  // namespace bigfoot::solver
