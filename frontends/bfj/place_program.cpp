#include "frontends/bfj/place_program.h"

#include "analysis/good_checks/alias_facts.h"
#include "frontends/bfj/desugar.h"

namespace bigfoot::bfj {
namespace {

struct Judged {
  placement::Placement placement;
  ir::Program analysed;
  std::optional<good_checks::Rejection> rejection;
  bool exact_names = false;

  // Points into `placement`.
  ProgramPlans plans() const {
    ProgramPlans all;
    all.with_names = exact_names;
    for (const auto& f : placement.functions) {
      all.plans.push_back(&f.plan);
      all.aliases.push_back(&f.analysed);
    }
    return all;
  }
};

Judged place_and_verify(const ir::Program& program, logic::Entailment& entailment,
                        placement::Options options) {
  Judged result;
  options.record_hints = true;
  // Alias facts may be wrong where another race has been, and so may be the names.
  result.exact_names = options.exact_sources && options.address_precise &&
                       options.detector == placement::Detector::BigFoot;
  result.placement = placement::place(program, entailment, options);
  result.analysed = result.placement.analysed_program(program);
  const ProgramPlans all = result.plans();
  result.rejection = good_checks::verify_aliases(program, all.aliases);
  if (!result.rejection) {
    result.rejection =
        good_checks::verify(result.analysed, all.plans, entailment, {options.assume_termination});
  }
  return result;
}

}  // namespace

PlacedProgram place_program(const Program& program, logic::Entailment& entailment,
                            const placement::Options& options) {
  PlacedProgram result;
  Lowered lowered = lower(strip_checks(program));
  Judged judged = place_and_verify(lowered.program, entailment, options);
  ApplyResult applied = apply(lowered, {judged.plans()});
  result.placement = std::move(judged.placement);
  result.analysed = std::move(judged.analysed);
  result.rejection = std::move(judged.rejection);
  result.program = std::move(applied.program);
  result.inserted = std::move(applied.inserted);
  result.problems = std::move(applied.problems);
  result.functions = std::move(lowered.functions);
  result.field_names = std::move(lowered.field_names);
  return result;
}

PlacedTogether place_together(const Program& program, logic::Entailment& entailment,
                              const std::vector<placement::Options>& options) {
  PlacedTogether result;
  Lowered lowered = lower(strip_checks(program));
  std::vector<Judged> judged;
  judged.reserve(options.size());
  std::vector<ProgramPlans> plans;
  for (const placement::Options& o : options) {
    const Judged& j = judged.emplace_back(place_and_verify(lowered.program, entailment, o));
    plans.push_back(j.plans());
    result.rejections.push_back(
        j.rejection ? std::optional(good_checks::format(j.analysed, *j.rejection)) : std::nullopt);
  }
  ApplyResult applied = bfj::apply(lowered, plans);
  result.program = std::move(applied.program);
  result.problems = std::move(applied.problems);
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
