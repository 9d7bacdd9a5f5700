#include "analysis/placement/placement.h"

#include "analysis/placement/boolean_pass.h"
#include "analysis/placement/check_pass.h"
#include "analysis/placement/effects.h"

namespace bigfoot::placement {
namespace {

FunctionPlacement place_bigfoot(const ir::Function& function, logic::Entailment& entailment,
                                const Options& options, const std::vector<ir::Effects>& effects) {
  const ir::Cfg cfg(function);
  Reasoner reasoner(cfg, entailment);
  compute_boolean_facts(reasoner);
  PastAccesses past(reasoner, options, effects);
  past.solve();
  Anticipated anticipated(reasoner, options, effects);
  anticipated.solve();
  return CheckPass(reasoner, options, effects, past, anticipated).run();
}

}  // namespace

Placement place(const ir::Program& program, logic::Entailment& entailment, const Options& options) {
  const std::vector<ir::Effects> effects = compute_effects(program, options.assume_termination);
  Placement result;
  for (const ir::Function& f : program.functions) {
    result.functions.push_back(place_bigfoot(f, entailment, options, effects));
  }
  return result;
}

}  // namespace bigfoot::placement
