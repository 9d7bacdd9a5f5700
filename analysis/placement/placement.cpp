#include "analysis/placement/placement.h"

#include "analysis/placement/boolean_pass.h"
#include "analysis/placement/check_pass.h"
#include "analysis/placement/effects.h"
#include "analysis/placement/redcard.h"

namespace bigfoot::placement {
namespace {

void place_bigfoot(FunctionPlacement& f, logic::Entailment& entailment, const Options& options,
                   const std::vector<ir::Effects>& effects) {
  const ir::Cfg cfg(f.analysed.function);
  Reasoner reasoner(cfg, entailment);
  compute_boolean_facts(reasoner);
  PastAccesses past(reasoner, options, effects);
  past.solve();
  Anticipated anticipated(reasoner, options, effects);
  anticipated.solve();
  CheckPass(reasoner, options, effects, past, anticipated).run(f);
}

}  // namespace

ir::Program Placement::analysed_program(const ir::Program& original) const {
  ir::Program program = original;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    program.functions[i] = functions[i].analysed.function;
  }
  return program;
}

Placement place(const ir::Program& program, logic::Entailment& entailment, const Options& options) {
  const std::vector<ir::Effects> effects = compute_effects(program, options.assume_termination);
  Placement result;
  const bool aliases = !options.address_precise && options.detector != Detector::FastTrack;
  for (const ir::Function& f : program.functions) {
    FunctionPlacement placement;
    if (aliases) {
      placement.analysed =
          ir::with_alias_facts(f, [&](const ir::Instruction& i) { return effects_of(i, effects); });
    } else {
      placement.analysed.function = f;
    }
    result.functions.push_back(std::move(placement));
  }
  if (options.detector == Detector::BigFoot) {
    for (FunctionPlacement& f : result.functions) place_bigfoot(f, entailment, options, effects);
  } else {
    place_redcard(program, entailment, options, effects, result.functions);
  }
  return result;
}

}  // namespace bigfoot::placement
