// The equations are those of Figure 7 read from right to left. A loop head starts from Top: the
// first sweep takes back edges to anticipate whatever the other way out of the block does, later
// sweeps use the set computed for the head, which only shrinks (and grows by conjectured ranges,
// once each).
#include "analysis/placement/anticipated.h"

#include <algorithm>

#include "analysis/placement/effects.h"
#include "analysis/placement/invariants.h"
#include "analysis/placement/mutation.h"

namespace bigfoot::placement {
namespace {

using ir::AccessKind;
using ir::BlockId;

constexpr int kMaxSweeps = 24;
// Sweeps during which loop heads may still take in new candidates; afterwards they only lose them.
// Six instead of two made placement four times slower and saved no check on the first 300 random
// programs.
constexpr int kGrowingSweeps = 2;

}  // namespace

Anticipated::Anticipated(Reasoner& reasoner, const Options& options,
                         const std::vector<ir::Effects>& effects)
    : reasoner_(reasoner),
      options_(options),
      effects_(effects),
      entry_(reasoner.function().blocks.size()),
      exit_(entry_.size()),
      top_at_entry_(entry_.size(), false),
      stale_(entry_.size(), true),
      heads_(entry_.size()) {}

bool Anticipated::may_diverge(BlockId from, BlockId to) const {
  if (!reasoner_.cfg().is_retreating(from, to)) return false;
  if (options_.assume_termination || mutated(Mutation::NotermTreatedAsTerminating)) return false;
  const ir::Loop* loop = reasoner_.cfg().loop_headed_by(to);
  return loop == nullptr || !loop->terminates;
}

void Anticipated::solve() {
  const auto& loops = reasoner_.cfg().loops();
  for (sweeps_ = 0; sweeps_ < kMaxSweeps; ++sweeps_) {
    sweep();
    bool changed = false;
    for (const ir::Loop& loop : loops) {
      const bool refined = refine(loop), guessed = add_conjectures(loop);
      if (refined || guessed) head_changed(loop);
      changed |= refined || guessed;
    }
    if (!changed) return;
  }
  give_up_on_loops_ = true;
  stale_.assign(stale_.size(), true);
  sweep();
}

void Anticipated::sweep() {
  const auto& order = reasoner_.cfg().order();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const BlockId b = *it;
    if (!stale_[index_of(b)]) continue;
    stale_[index_of(b)] = false;
    bool top = false;
    FactSet state = meet(b, top);
    exit_[index_of(b)] = state;
    for (std::size_t i = reasoner_.function().block(b).instructions.size(); i-- > 0;) {
      top &= !stops_anticipation(reasoner_.function().block(b).instructions[i]);
      step_back(state, b, i);
    }
    HeadState& head = heads_[index_of(b)];
    for (const PathFact& f : head.conjectures) state.insert(f);
    state.remove_if([&](const PathFact& f) { return head.rejected.contains({f.path, f.kind}); });
    if (state == entry_[index_of(b)] && top == top_at_entry_[index_of(b)]) continue;
    entry_[index_of(b)] = std::move(state);
    top_at_entry_[index_of(b)] = top;
    for (BlockId p : reasoner_.function().block(b).predecessors) {
      if (!reasoner_.cfg().is_retreating(p, b)) stale_[index_of(p)] = true;
    }
  }
}

void Anticipated::head_changed(const ir::Loop& loop) {
  stale_[index_of(loop.header)] = true;
  for (BlockId latch : loop.latches) stale_[index_of(latch)] = true;
}

FactSet Anticipated::on_edge(BlockId from, BlockId to) const {
  FactSet result;
  if (may_diverge(from, to)) return result;
  if (reasoner_.cfg().is_retreating(from, to)) {
    const ir::Loop* loop = reasoner_.cfg().loop_headed_by(to);
    if (give_up_on_loops_ || loop == nullptr || loop->irreducible) return result;
  }
  const FactSet& there =
      reasoner_.cfg().is_retreating(from, to) ? heads_[index_of(to)].assumed : entry_[index_of(to)];
  for (const PathFact& f : there.facts()) {
    if (auto path = reasoner_.before_edge(f.path, from, to)) {
      result.insert({f.kind, std::move(*path), f.who});
    }
  }
  return result;
}

FactSet Anticipated::meet(BlockId b, bool& top) {
  const auto next = successors(reasoner_.function().block(b).terminator);
  std::vector<std::pair<BlockId, FactSet>> states;
  for (BlockId s : next) {
    const bool back = reasoner_.cfg().is_retreating(b, s);
    const bool top_there =
        back ? !heads_[index_of(s)].known && !may_diverge(b, s) && !give_up_on_loops_
             : top_at_entry_[index_of(s)];
    if (!top_there) states.emplace_back(s, on_edge(b, s));
  }
  top = states.empty() && !next.empty();
  if (states.empty()) return {};
  if (states.size() == 1) return std::move(states[0].second);
  FactSet candidates, result;
  for (const auto& [s, state] : states) {
    for (const PathFact& f : state.facts()) candidates.insert(f);
  }
  for (const PathFact& candidate : candidates.facts()) {
    if (result.size() >= options_.max_facts) break;
    for (AccessKind kind : {AccessKind::Write, AccessKind::Read}) {
      if (kind > candidate.kind) continue;
      const bool everywhere = std::all_of(states.begin(), states.end(), [&](const auto& s) {
        return mutated(Mutation::IfAnticipatesOneBranch) ||
               reasoner_.entails({b, s.first}, s.second, kind, candidate.path);
      });
      if (!everywhere) continue;
      result.insert({kind, candidate.path, candidate.who});
      break;
    }
  }
  return result;
}

bool Anticipated::stops_anticipation(const ir::Instruction& instruction) const {
  const ir::Effects e = effects_of(instruction, effects_);
  const bool is_call = std::holds_alternative<ir::Call>(instruction);
  const bool acquires = e.acquires && !mutated(is_call ? Mutation::CallKeepsAnticipated
                                                       : Mutation::AcqKeepsAnticipated);
  return acquires || (e.may_not_return && !mutated(Mutation::NoReturnTreatedAsReturning));
}

void Anticipated::step_back(FactSet& state, BlockId b, std::size_t index) const {
  const ir::Instruction& instruction = reasoner_.function().block(b).instructions[index];
  const ir::Effects e = effects_of(instruction, effects_);
  const bool is_call = std::holds_alternative<ir::Call>(instruction);
  const bool killed_by_acquire = e.acquires && !mutated(is_call ? Mutation::CallKeepsAnticipated
                                                                : Mutation::AcqKeepsAnticipated);
  if (killed_by_acquire || (e.may_not_return && !mutated(Mutation::NoReturnTreatedAsReturning))) {
    state.clear();
  }
  if (const auto x = defined_symbol(instruction); x && !mutated(Mutation::AssignKeepsAnticipated)) {
    state.remove_if([&](const PathFact& f) { return mentions(f.path, *x); });
  }
  if (const auto* access = std::get_if<ir::Access>(&instruction)) {
    if (state.size() >= options_.max_facts) state.clear();
    const AccessKind kind =
        mutated(Mutation::ReadAnticipatesWrite) ? AccessKind::Write : access->kind;
    state.insert({kind, access->path, {access->id}});
  }
}

// Takes over the head's new set for the back edges; true while that changes anything.
bool Anticipated::refine(const ir::Loop& loop) {
  HeadState& head = heads_[index_of(loop.header)];
  const FactSet& now = entry_[index_of(loop.header)];
  if (!head.known) {
    head.known = true;
    head.assumed = now;
    return true;
  }
  if (mutated(Mutation::LoopTrustsAnticipated)) return false;
  // What is in the head's set must follow from the equations with that set on the back edges.
  FactSet derived = exit_[index_of(loop.header)];
  for (std::size_t i = reasoner_.function().block(loop.header).instructions.size(); i-- > 0;) {
    step_back(derived, loop.header, i);
  }
  FactSet kept = head.assumed;
  kept.remove_if([&](const PathFact& f) {
    const bool follows = !head.rejected.contains({f.path, f.kind}) &&
                         reasoner_.entails({loop.header, std::nullopt}, derived, f);
    if (!follows) head.rejected.insert({f.path, f.kind});
    return !follows;
  });
  // What inner loops have only now let through is worth assuming too, once.
  if (sweeps_ <= kGrowingSweeps) {
    for (const PathFact& f : now.facts()) {
      if (!head.rejected.contains({f.path, f.kind})) kept.insert(f);
    }
  }
  const bool changed = !kept.same_paths(head.assumed);
  head.assumed = std::move(kept);
  return changed;
}

bool Anticipated::add_conjectures(const ir::Loop& loop) {
  HeadState& head = heads_[index_of(loop.header)];
  if (loop.irreducible || !loop.terminates || loop.inductions.empty()) return false;
  std::vector<ir::Atom> stay;
  for (BlockId b : loop.blocks) {
    const auto& terminator = reasoner_.function().block(b).terminator;
    if (!std::holds_alternative<ir::Branch>(terminator)) continue;
    for (BlockId s : successors(terminator)) {
      if (!loop.contains(s)) continue;
      const auto& atoms = edge_facts(terminator, s);
      stay.insert(stay.end(), atoms.begin(), atoms.end());
    }
  }
  bool changed = false;
  // Adjoining accesses of one iteration move together: as one path their conjecture has no gaps.
  FactSet now = entry_[index_of(loop.header)];
  reasoner_.merge_adjoining(now, {loop.header, std::nullopt});
  for (const PathFact& f : now.facts()) {
    for (ir::Path& path : accessed_from_here_on(loop, f.path, stay)) {
      if (!reasoner_.cfg().available_at_entry(path, loop.header)) continue;
      if (!head.seen.insert({path, f.kind}).second) continue;
      if (head.rejected.contains({path, f.kind})) continue;
      PathFact conjecture{f.kind, std::move(path), f.who};
      head.assumed.insert(conjecture);
      head.conjectures.push_back(std::move(conjecture));
      changed = true;
    }
  }
  return changed;
}

}  // namespace bigfoot::placement
