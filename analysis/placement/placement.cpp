#include "analysis/placement/placement.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/placement/boolean_pass.h"
#include "analysis/placement/check_pass.h"
#include "analysis/placement/effects.h"
#include "analysis/placement/mutation.h"
#include "analysis/placement/redcard.h"

namespace bigfoot::placement {
namespace {

using Headers = std::set<ir::BlockId>;

bool lies_in(const ir::Point& point, const ir::Loop& loop) {
  return loop.contains(point.block) && (!point.edge_to || loop.contains(*point.edge_to));
}

bool grows_with(const ir::Range& r, const ir::Loop& loop) {
  const ir::LinearExpr extent = r.end - r.begin;
  return std::any_of(loop.inductions.begin(), loop.inductions.end(),
                     [&](const ir::InductionVariable& iv) { return extent.mentions(iv.phi); });
}

// Loops with a check inside whose range gets longer each time round.
Headers growing_checks(const ir::Cfg& cfg, const ir::Plan& plan) {
  Headers found;
  for (const ir::Loop& loop : cfg.loops()) {
    for (const ir::PlacedCheck& c : plan.checks) {
      if (!lies_in(c.point, loop)) continue;
      if (std::any_of(c.check.ranges.begin(), c.check.ranges.end(),
                      [&](const ir::Range& r) { return grows_with(r, loop); })) {
        found.insert(loop.header);
      }
    }
  }
  return found;
}

std::vector<ir::BlockId> blocks_of_accesses(const ir::Function& f) {
  std::vector<ir::BlockId> blocks(f.access_count);
  for (std::size_t b = 0; b < f.blocks.size(); ++b) {
    for (const ir::Instruction& i : f.blocks[b].instructions) {
      if (const auto* a = std::get_if<ir::Access>(&i)) blocks[index_of(a->id)] = ir::BlockId(b);
    }
  }
  return blocks;
}

// Accesses that a check names as "one of these" although no loop has got rid of a check for it: the
// check stands in the loop that has them all, or there is none.
std::set<ir::AccessId> either_for_nothing(const ir::Cfg& cfg, const ir::Plan& plan) {
  std::set<ir::AccessId> found;
  const std::vector<ir::BlockId> blocks = blocks_of_accesses(cfg.function());
  for (const ir::PlacedCheck& c : plan.checks) {
    std::map<ir::Range, std::vector<ir::AccessId>> parts;
    for (const ir::Covered& covered : c.stands_for) {
      if (covered.standing == ir::Covered::Standing::OneOf) {
        parts[covered.part].push_back(covered.access);
      }
    }
    for (const auto& [part, accesses] : parts) {
      std::vector<ir::BlockId> where;
      for (ir::AccessId a : accesses) where.push_back(blocks[index_of(a)]);
      const ir::Loop* loop = cfg.innermost_loop(where);
      if (loop == nullptr || lies_in(c.point, *loop))
        found.insert(accesses.begin(), accesses.end());
    }
  }
  return found;
}

// One loop's pending accesses may have to be checked on a way through its body that is not always
// taken (before an inner loop that may not end, say). Each such check would repeat all earlier
// iterations: quadratic. Such a loop is settled: it checks each time round. A range that grows
// because the iteration itself accesses more (a triangular nest) keeps growing when its loop is
// settled; then settling was no help and is taken back.
void place_bigfoot(FunctionPlacement& f, logic::Entailment& entailment, const Options& options,
                   const std::vector<ir::Effects>& effects) {
  const ir::Cfg cfg(f.analysed.function);
  Reasoner reasoner(cfg, entailment);
  compute_boolean_facts(reasoner);
  Anticipated anticipated(reasoner, options, effects);
  anticipated.solve();
  Headers settled, hopeless;
  std::set<ir::AccessId> apart;
  for (;;) {
    f.plan = {};
    f.contexts.clear();
    PastAccesses past(reasoner, options, effects);
    past.set_settled(settled);
    past.set_apart(apart);
    past.solve();
    CheckPass(reasoner, options, effects, past, anticipated).run(f);
    bool changed = false;
    const Headers growing = growing_checks(cfg, f.plan);
    for (ir::BlockId header : growing) {
      if (settled.erase(header) != 0) {
        changed |= hopeless.insert(header).second;
      } else if (!hopeless.contains(header)) {
        changed |= settled.insert(header).second;
      }
    }
    for (ir::AccessId a : either_for_nothing(cfg, f.plan)) changed |= apart.insert(a).second;
    if (!changed) return;
  }
}

ir::Effects effects_on_aliases(const ir::Instruction& i, const std::vector<ir::Effects>& effects) {
  ir::Effects e = effects_of(i, effects);
  const bool access = std::holds_alternative<ir::Access>(i);
  const bool call = std::holds_alternative<ir::Call>(i);
  if ((access && mutated(Mutation::AliasSurvivesWrites)) ||
      (call && mutated(Mutation::AliasSurvivesCalls))) {
    e.modifies.clear();
  }
  if (mutated(Mutation::AliasSurvivesReleases)) e.releases = false;
  return e;
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
      placement.analysed = ir::with_alias_facts(
          f, [&](const ir::Instruction& i) { return effects_on_aliases(i, effects); });
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
