#include "analysis/solver/standard_chain.h"

#include "analysis/solver/affine.h"
#include "analysis/solver/z3/z3_engine.h"

namespace bigfoot::solver {

std::unique_ptr<Chain> make_chain(Engines engines, Observer::Listener listener) {
  std::vector<Sequence::Stage> stages;
  if (engines != Engines::Z3) stages.push_back({"affine", std::make_unique<AffineEngine>()});
  if (engines != Engines::Affine) stages.push_back({"z3", std::make_unique<Z3Engine>()});
  return std::make_unique<Chain>(std::move(stages), std::move(listener));
}

}  // namespace bigfoot::solver
