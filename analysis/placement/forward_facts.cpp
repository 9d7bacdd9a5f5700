#include "analysis/placement/forward_facts.h"

#include <algorithm>

#include "analysis/placement/mutation.h"

namespace bigfoot::placement {
namespace {

using ir::BlockId;

// Sweeps before loop heads are left without facts. Each sweep either drops a conjecture or adds one
// derived from an inner loop, so three per nesting level is already unusual.
constexpr int kMaxSweeps = 24;

}  // namespace

ForwardFacts::ForwardFacts(Reasoner& reasoner, const Options& options, Rules rules)
    : reasoner_(reasoner),
      options_(options),
      rules_(std::move(rules)),
      entry_(reasoner.function().blocks.size()),
      exit_(entry_.size()),
      heads_(entry_.size()) {}

void ForwardFacts::solve() {
  const auto& loops = reasoner_.cfg().loops();
  stale_.assign(entry_.size(), true);
  for (int i = 0; i < kMaxSweeps; ++i) {
    sweep();
    bool changed = false;
    for (const ir::Loop& loop : loops) changed |= swept(loop) && update_head(loop, refine(loop));
    for (const ir::Loop& loop : loops) {
      changed |= swept(loop) && update_head(loop, add_conjectures(loop));
    }
    if (!changed) return;
  }
  give_up_on_loops_ = true;
  stale_.assign(entry_.size(), true);
  sweep();
}

// Only what depends on something that has changed: without that SQLite's functions, of which most
// have loops, were swept three times over as a whole.
void ForwardFacts::sweep() {
  swept_.assign(entry_.size(), false);
  for (BlockId b : reasoner_.cfg().order()) {
    if (!stale_[index_of(b)]) continue;
    stale_[index_of(b)] = false;
    swept_[index_of(b)] = true;
    entry_[index_of(b)] = b == ir::kEntry ? rules_.at_start : join(b);
    FactSet at_exit = through_block(b);
    if (at_exit == exit_[index_of(b)]) continue;
    exit_[index_of(b)] = std::move(at_exit);
    for (BlockId s : successors(reasoner_.function().block(b).terminator)) {
      if (!reasoner_.cfg().is_retreating(b, s)) stale_[index_of(s)] = true;
    }
  }
}

FactSet ForwardFacts::through_block(BlockId b) {
  FactSet state = rules_.transfer(b, entry_[index_of(b)]);
  // Spell unions as one range where the next block may have to forget the parts.
  for (BlockId s : successors(reasoner_.function().block(b).terminator)) {
    if (reasoner_.function().block(s).predecessors.size() == 1) continue;
    reasoner_.merge_adjoining(
        state, {b, std::nullopt},
        rules_.may_be_either ? Reasoner::Adjoining::SameSourceOrMoving : Reasoner::Adjoining::All);
    break;
  }
  return state;
}

bool ForwardFacts::swept(const ir::Loop& loop) const {
  return swept_[index_of(loop.header)] ||
         std::any_of(loop.latches.begin(), loop.latches.end(),
                     [&](BlockId latch) { return swept_[index_of(latch)]; });
}

bool ForwardFacts::update_head(const ir::Loop& loop, bool changed) {
  if (changed) stale_[index_of(loop.header)] = true;
  return changed;
}

FactSet ForwardFacts::state_on_edge(BlockId from, BlockId to) {
  return rules_.along_edge ? rules_.along_edge(from, to, exit_[index_of(from)])
                           : exit_[index_of(from)];
}

FactSet ForwardFacts::join(BlockId b) {
  const auto& preds = reasoner_.function().block(b).predecessors;
  if (preds.size() == 1) {
    FactSet state = state_on_edge(preds[0], b);
    if (reasoner_.leaves_loop(preds[0], b)) respell(state, preds[0], b);
    return state;
  }
  const ir::Loop* loop = reasoner_.cfg().loop_headed_by(b);
  if (loop != nullptr && (give_up_on_loops_ || loop->irreducible)) return {};

  std::vector<std::pair<BlockId, FactSet>> states;
  for (BlockId p : preds) {
    if (!reasoner_.cfg().is_retreating(p, b)) states.emplace_back(p, state_on_edge(p, b));
  }
  const HeadState& head = heads_[index_of(b)];
  std::vector<Candidate> candidates;
  for (const auto& [p, state] : states) add_candidates(p, b, state, candidates);
  for (const PathFact& f : head.conjectures) {
    candidates.push_back({f.kind, {f.path}, f.who, f.sure, f.either, /*conjecture=*/true});
  }

  FactSet result;
  for (const Candidate& candidate : candidates) {
    if (result.size() >= options_.max_facts) break;
    if (auto fact = first_that_holds(candidate, b, states)) result.insert(std::move(*fact));
  }
  return result;
}

void ForwardFacts::respell(FactSet& state, BlockId from, BlockId to) {
  FactSet result;
  for (PathFact f : state.facts()) {
    f.path = reasoner_.outside_loops(f.path, from, to);
    result.insert(std::move(f));
  }
  state = std::move(result);
}

// The first spelling that every incoming state entails. A fact that holds as a write on one side
// and as a read on the other holds as a read.
std::optional<PathFact> ForwardFacts::first_that_holds(const Candidate& candidate, BlockId b,
                                                       const EdgeStates& states) {
  const HeadState& head = heads_[index_of(b)];
  for (const ir::Path& path : candidate.spellings) {
    for (ir::AccessKind kind : {ir::AccessKind::Write, ir::AccessKind::Read}) {
      if (kind > candidate.kind || head.rejected.contains({path, kind})) continue;
      const bool everywhere = std::all_of(states.begin(), states.end(), [&](const auto& s) {
        const auto before = reasoner_.before_edge(path, s.first, b);
        return before && (mutated(Mutation::IfMeetTakesUnion) ||
                          reasoner_.entails({s.first, b}, s.second, kind, *before));
      });
      if (!everywhere) continue;
      PathFact fact{kind, path, candidate.who};
      for (const auto& [p, state] : states) collect_sources(fact, p, b, state);
      if (rules_.may_be_either && !find_sources(fact, candidate, b, states)) continue;
      return fact;
    }
  }
  return std::nullopt;
}

void ForwardFacts::add_candidates(BlockId from, BlockId to, const FactSet& state,
                                  std::vector<Candidate>& candidates) {
  for (const PathFact& f : state.facts()) {
    candidates.push_back({f.kind, reasoner_.after_edge(f.path, from, to), {}, f.sure, f.either});
  }
}

void ForwardFacts::collect_sources(PathFact& fact, BlockId from, BlockId to, const FactSet& state) {
  const auto before = reasoner_.before_edge(fact.path, from, to);
  if (!before) return;
  const auto same_object = state.about(before->base, before->space);
  for (const PathFact& f : same_object) {
    if (f.path == *before) return add_sources(fact.who, f.who);
  }
  // Several facts together; which of them does not matter as long as they touch the path.
  for (const PathFact& f : same_object) {
    if (!logic::surely_disjoint(f.path.range, before->range)) add_sources(fact.who, f.who);
  }
}

// ---- Sources that are sure ----

bool ForwardFacts::surely_touched(BlockId from, BlockId to, const FactSet& state,
                                  ir::AccessId access, const ir::Path& path) {
  const auto before = reasoner_.before_edge(path, from, to);
  if (!before) return false;
  const auto touched = [&](const PathFact& f) {
    return std::binary_search(f.sure.begin(), f.sure.end(), access);
  };
  if (const PathFact* same = state.find(*before); same != nullptr && touched(*same)) return true;
  FactSet by_it;
  for (const PathFact& f : state.facts()) {
    if (touched(f)) by_it.insert(f);
  }
  return reasoner_.entails({from, to}, by_it, ir::AccessKind::Read, *before);
}

// What several accesses did together is remembered with those of them that all ways have, if one
// way needs no others: it comes from before the ways parted, and some may have added to it. A way
// on which its range is empty has none.
bool ForwardFacts::keep_common_sources(PathFact& fact, BlockId b, const EdgeStates& states) {
  std::vector<const PathFact*> ways;
  for (const auto& [p, state] : states) {
    const auto before = reasoner_.before_edge(fact.path, p, b);
    if (!before) return false;
    const PathFact* there = state.find(*before);
    if (there != nullptr) ways.push_back(there);
    if (there == nullptr && !reasoner_.entails({p, b}, {}, fact.kind, *before)) return false;
  }
  if (ways.empty()) return false;
  Sources common = ways[0]->who;
  for (const PathFact* f : ways) common = common_sources(common, f->who);
  const bool enough =
      std::any_of(ways.begin(), ways.end(), [&](const PathFact* f) { return f->who == common; });
  if (!enough) return false;
  fact.who = std::move(common);
  fact.either = std::any_of(ways.begin(), ways.end(), [](const PathFact* f) { return f->either; });
  return true;
}

bool ForwardFacts::find_sources(PathFact& fact, const Candidate& candidate, BlockId b,
                                const EdgeStates& states) {
  const HeadState& head = heads_[index_of(b)];
  for (ir::AccessId access : candidate.sure) {
    const bool everywhere = mutated(Mutation::JoinNamesOneBranch) ||
                            std::all_of(states.begin(), states.end(), [&](const auto& s) {
                              return surely_touched(s.first, b, s.second, access, fact.path);
                            });
    if (everywhere && !head.unsure.contains({fact.path, access})) fact.sure.push_back(access);
  }
  if (reasoner_.is_exact(fact)) return true;
  if (const auto it = head.brought_back.find({fact.path, fact.kind});
      it != head.brought_back.end()) {
    add_sources(fact.who, it->second);
  }
  const bool lost_to_back_edge =
      std::any_of(candidate.sure.begin(), candidate.sure.end(), [&](ir::AccessId a) {
        return head.unsure.contains({fact.path, a});
      });
  // A conjecture of which the body itself cannot say more.
  fact.either = candidate.either;
  if (candidate.conjecture && candidate.sure.empty()) return true;
  if (!lost_to_back_edge && keep_common_sources(fact, b, states)) return true;
  fact.either = true;
  return rules_.may_be_either(b, fact);
}

// What is either this access or another one is also what the rounds before have left.
bool ForwardFacts::refine_alternatives(const ir::Loop& loop, const PathFact& fact) {
  PathFact together = fact;
  for (BlockId latch : loop.latches) {
    collect_sources(together, latch, loop.header, state_on_edge(latch, loop.header));
  }
  auto& brought_back = heads_[index_of(loop.header)].brought_back[{fact.path, fact.kind}];
  const auto before = brought_back;
  add_sources(brought_back, together.who);
  return brought_back != before;
}

bool ForwardFacts::refine_sources(const ir::Loop& loop, const PathFact& fact) {
  HeadState& head = heads_[index_of(loop.header)];
  const bool conjecture = head.seen.contains({fact.path, fact.kind});
  const bool together = fact.sure.empty() && !fact.either && !conjecture;
  if (mutated(Mutation::LoopNamesFirstRound)) return false;
  bool changed = fact.either && refine_alternatives(loop, fact);
  for (BlockId latch : loop.latches) {
    const FactSet state = state_on_edge(latch, loop.header);
    for (ir::AccessId access : fact.sure) {
      if (surely_touched(latch, loop.header, state, access, fact.path)) continue;
      changed |= head.unsure.insert({fact.path, access}).second;
    }
    if (!together) continue;
    const auto before = reasoner_.before_edge(fact.path, latch, loop.header);
    const PathFact* there = before ? state.find(*before) : nullptr;
    if (there != nullptr && common_sources(there->who, fact.who) == fact.who) continue;
    changed |= head.rejected.insert({fact.path, fact.kind}).second;
  }
  return changed;
}

// ---- Loops ----

bool ForwardFacts::holds_on(BlockId from, BlockId to, const PathFact& fact) {
  const auto before = reasoner_.before_edge(fact.path, from, to);
  return before && reasoner_.entails({from, to}, state_on_edge(from, to), fact.kind, *before);
}

bool ForwardFacts::refine(const ir::Loop& loop) {
  if (loop.irreducible || mutated(Mutation::LoopTrustsConjectures)) return false;
  bool changed = false;
  HeadState& head = heads_[index_of(loop.header)];
  for (const PathFact& f : at_entry(loop.header).facts()) {
    const bool holds = std::all_of(loop.latches.begin(), loop.latches.end(),
                                   [&](BlockId latch) { return holds_on(latch, loop.header, f); });
    if (!holds) {
      head.rejected.insert({f.path, f.kind});
      changed = true;
    } else if (rules_.may_be_either) {
      changed |= refine_sources(loop, f);
    }
  }
  return changed;
}

bool ForwardFacts::add_conjectures(const ir::Loop& loop) {
  if (!rules_.conjecture || loop.irreducible || loop.inductions.empty()) return false;
  bool changed = false;
  HeadState& head = heads_[index_of(loop.header)];
  for (BlockId latch : loop.latches) {
    for (PathFact& f : rules_.conjecture(loop, state_on_edge(latch, loop.header))) {
      // A value the body computes is another one in each iteration, and none before the first.
      if (!reasoner_.cfg().available_at_entry(f.path, loop.header) &&
          !mutated(Mutation::LoopNamesBodyValues)) {
        continue;
      }
      if (!head.seen.insert({f.path, f.kind}).second) continue;
      head.conjectures.push_back(std::move(f));
      changed = true;
    }
  }
  return changed;
}

}  // namespace bigfoot::placement
