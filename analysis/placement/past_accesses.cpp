#include "analysis/placement/past_accesses.h"

#include "analysis/placement/effects.h"
#include "analysis/placement/invariants.h"
#include "analysis/placement/mutation.h"

namespace bigfoot::placement {
namespace {

using ir::AccessKind;
using ir::BlockId;

bool kills_past_accesses(const ir::Effects& e, const ir::Instruction& instruction,
                         const Options& options) {
  const bool is_call = std::holds_alternative<ir::Call>(instruction);
  if (is_call && mutated(Mutation::CallKillsNothing)) return false;
  if (!is_call && mutated(Mutation::RelKeepsHistory)) return false;
  if (options.detector == Detector::RedCard) {
    return e.releases && !mutated(Mutation::RedcardIgnoresRelease);
  }
  // An acquire of our own keeps the accesses (they are all checked by then); one inside a callee is
  // in KillSetHistory.
  return e.releases || (is_call && e.acquires);
}

}  // namespace

PastAccesses::PastAccesses(Reasoner& reasoner, const Options& options,
                           const std::vector<ir::Effects>& effects, FactSet at_start)
    : reasoner_(reasoner),
      options_(options),
      effects_(effects),
      facts_(reasoner, options, rules(std::move(at_start))) {}

ForwardFacts::Rules PastAccesses::rules(FactSet at_start) {
  ForwardFacts::Rules rules;
  rules.at_start = std::move(at_start);
  rules.transfer = [this](BlockId b, const FactSet& in) {
    FactSet state = in;
    const std::size_t n = reasoner_.function().block(b).instructions.size();
    for (std::size_t i = 0; i < n; ++i) step(state, b, i);
    return state;
  };
  rules.conjecture = [this](const ir::Loop& loop, const FactSet& on_back_edge) {
    std::vector<PathFact> conjectures;
    // A loop that may not end checks on every back edge; carrying the whole range round would make
    // it check the range again each time.
    const bool carries = loop.terminates || options_.assume_termination ||
                         options_.detector == Detector::RedCard ||
                         mutated(Mutation::NotermTreatedAsTerminating);
    if (!carries || settled_.contains(loop.header)) return conjectures;
    for (const PathFact& f : on_back_edge.facts()) {
      if (auto path = accessed_before(loop, f.path)) {
        conjectures.push_back({f.kind, *path, f.who, f.sure, f.either});
      }
    }
    return conjectures;
  };
  if (options_.exact_sources && options_.detector == Detector::BigFoot) {
    rules.may_be_either = [this](BlockId b, const PathFact& f) { return may_be_either(b, f); };
  }
  return rules;
}

// A loop that may take either branch each time round has one check, behind it, only if the branches
// are remembered as one. For any other join that saves nothing: one of its ways is taken.
bool PastAccesses::may_be_either(BlockId b, const PathFact& f) const {
  const auto apart = [&](ir::AccessId a) { return apart_.contains(a); };
  if (std::any_of(f.who.begin(), f.who.end(), apart)) return false;
  const ir::Loop* loop = reasoner_.cfg().innermost_loop({&b, 1});
  if (loop == nullptr || loop->irreducible || settled_.contains(loop->header)) return false;
  if (!loop->terminates && !options_.assume_termination) return false;
  return reasoner_.cfg().invariant_in(*loop, ir::LinearExpr(f.path.base)) &&
         reasoner_.cfg().available_at_entry(f.path, loop->header);
}

bool PastAccesses::forgets_for_budget(const FactSet& state, BlockId b, std::size_t index) const {
  return state.size() >= options_.max_facts &&
         std::holds_alternative<ir::Access>(reasoner_.function().block(b).instructions[index]);
}

void PastAccesses::step(FactSet& state, BlockId b, std::size_t index) const {
  const ir::Instruction& instruction = reasoner_.function().block(b).instructions[index];
  if (forgets_for_budget(state, b, index)) state.clear();
  if (const auto* access = std::get_if<ir::Access>(&instruction)) {
    const bool write = access->kind == AccessKind::Write;
    if (mutated(write ? Mutation::WriteForgetsAccess : Mutation::ReadForgetsAccess)) return;
    const AccessKind kind =
        mutated(Mutation::WriteRecordedAsRead) ? AccessKind::Read : access->kind;
    state.insert({kind, access->path, {access->id}, {access->id}});
    return;
  }
  if (kills_past_accesses(effects_of(instruction, effects_), instruction, options_)) state.clear();
  if (const auto* call = std::get_if<ir::Call>(&instruction); call && ensured_) {
    for (PathFact& f : ensured_(*call)) state.insert(std::move(f));
  }
}

}  // namespace bigfoot::placement
