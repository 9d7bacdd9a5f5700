#include "analysis/good_checks/companions.h"

#include <map>

#include "analysis/good_checks/spans.h"

namespace bigfoot::good_checks {
namespace {

std::vector<bool> covered_in(const Spans& spans, const std::vector<Companion>& companions) {
  std::multimap<ir::AccessId, std::size_t> of_access;
  for (std::size_t c = 0; c < companions.size(); ++c) of_access.emplace(companions[c].access, c);
  std::vector<bool> covered(companions.size(), false);
  for (ir::BlockId b : spans.cfg().order()) {
    const Spans::InBlock known = spans.in_block(b);
    const auto& instructions = spans.function().block(b).instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const auto* access = std::get_if<ir::Access>(&instructions[i]);
      if (access == nullptr) continue;
      const auto [first, last] = of_access.equal_range(access->id);
      for (auto it = first; it != last; ++it) {
        const Companion& c = companions[it->second];
        covered[it->second] = (!c.where || spans.knowledge().proves(*c.where, b, std::nullopt)) &&
                              spans.covered_at({c.kind, c.path}, known, b, i);
      }
    }
  }
  return covered;
}

}  // namespace

std::vector<std::vector<bool>> covered_companions(
    const ir::Program& program, const std::vector<const ir::Plan*>& plans,
    const std::vector<std::vector<Companion>>& companions, logic::Entailment& entailment,
    const Options& options) {
  const EffectTable effects(program, options.assume_termination);
  const Subject subject{program, plans, effects, options.assume_termination};
  std::vector<std::vector<bool>> covered(companions.size());
  for (std::size_t f = 0; f < companions.size(); ++f) {
    if (companions[f].empty()) continue;
    std::vector<Item> wanted;
    for (const Companion& c : companions[f]) wanted.push_back({c.kind, c.path});
    const Spans spans(subject, ir::FunctionId(f), entailment, wanted, false);
    covered[f] = covered_in(spans, companions[f]);
  }
  return covered;
}

}  // namespace bigfoot::good_checks
