#include "frontends/bfj/place_program.h"

#include "analysis/good_checks/alias_facts.h"
#include "frontends/bfj/desugar.h"

namespace bigfoot::bfj {
PlacedProgram place_program(const Program& program, logic::Entailment& entailment,
                            const placement::Options& options) {
  PlacedProgram result;
  Lowered lowered = lower(strip_checks(program));
  placement::Options with_hints = options;
  with_hints.record_hints = true;
  result.placement = placement::place(lowered.program, entailment, with_hints);
  result.analysed = result.placement.analysed_program(lowered.program);
  std::vector<const ir::Plan*> plans;
  std::vector<const ir::AliasedFunction*> aliases;
  for (const auto& f : result.placement.functions) {
    plans.push_back(&f.plan);
    aliases.push_back(&f.analysed);
  }
  result.rejection = good_checks::verify_aliases(lowered.program, aliases);
  if (!result.rejection) {
    result.rejection =
        good_checks::verify(result.analysed, plans, entailment, {options.assume_termination});
  }
  ApplyResult applied = apply(lowered, plans, aliases);
  result.program = std::move(applied.program);
  result.inserted = std::move(applied.inserted);
  result.problems = std::move(applied.problems);
  result.functions = std::move(lowered.functions);
  result.field_names = std::move(lowered.field_names);
  return result;
}

std::optional<std::string> reject_written_checks(const Program& program,
                                                 logic::Entailment& entailment,
                                                 const good_checks::Options& options) {
  const Lowered lowered = lower(program);
  std::vector<const ir::Plan*> plans;
  for (const LoweredFunction& f : lowered.functions) plans.push_back(&f.written_checks);
  const auto rejection = good_checks::verify(lowered.program, plans, entailment, options);
  if (!rejection) return std::nullopt;
  return good_checks::format(lowered.program, *rejection);
}

}  // namespace bigfoot::bfj
