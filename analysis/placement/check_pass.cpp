#include "analysis/placement/check_pass.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/placement/coalesce.h"
#include "analysis/placement/common_checks.h"
#include "analysis/placement/effects.h"
#include "analysis/placement/invariants.h"
#include "analysis/placement/mutation.h"

namespace bigfoot::placement {
namespace {

using ir::BlockId;
using ir::Point;

bool releases_anywhere(const ir::Function& f, const ir::Loop& loop,
                       const std::vector<ir::Effects>& effects) {
  for (BlockId b : loop.blocks) {
    for (const ir::Instruction& i : f.block(b).instructions) {
      if (effects_of(i, effects).releases) return true;
    }
  }
  return false;
}

// Checks of one point keep the order they were placed in.
void sort_by_point(ir::Plan& plan) {
  std::map<Point, std::vector<ir::PlacedCheck>> by_point;
  for (ir::PlacedCheck& check : plan.checks) by_point[check.point].push_back(std::move(check));
  plan.checks.clear();
  for (auto& [point, checks] : by_point) {
    for (ir::PlacedCheck& check : checks) plan.checks.push_back(std::move(check));
  }
}

// The check that is still to come for an earlier access to the same path.
const ir::PlacedCheck* check_of_earlier(const ir::Access& a, const FactSet& past,
                                        const std::vector<const ir::PlacedCheck*>& check_of) {
  const PathFact* same = past.find(a.path);
  if (same == nullptr || same->kind < a.kind) return nullptr;
  for (ir::AccessId earlier : same->who) {
    if (check_of[index_of(earlier)] != nullptr) return check_of[index_of(earlier)];
  }
  return nullptr;
}

}  // namespace

CheckPass::CheckPass(Reasoner& reasoner, const Options& options,
                     const std::vector<ir::Effects>& effects, const PastAccesses& past,
                     const Anticipated& anticipated)
    : reasoner_(reasoner),
      options_(options),
      effects_(effects),
      past_(past),
      anticipated_(anticipated),
      hoistable_(reasoner.function().blocks.size()),
      checked_(reasoner, options, rules()) {}

ForwardFacts::Rules CheckPass::rules() {
  ForwardFacts::Rules rules;
  rules.transfer = [this](BlockId b, const FactSet& in) {
    return walk(b, in, [](const CheckSet&) {});
  };
  rules.along_edge = [this](BlockId from, BlockId to, const FactSet& at_exit) {
    FactSet state = at_exit;
    const char* rule = nullptr;
    const FactSet set = checks_on_edge(from, to, at_exit, &rule);
    for (const PathFact& f : set.facts()) state.insert(f);
    return state;
  };
  // What earlier iterations have checked. Without it a loop that checks each time round would check
  // everything it has accessed so far again, each time round.
  rules.conjecture = [](const ir::Loop& loop, const FactSet& on_back_edge) {
    std::vector<PathFact> conjectures;
    for (const PathFact& f : on_back_edge.facts()) {
      if (auto path = accessed_before(loop, f.path)) {
        conjectures.push_back({f.kind, *path, f.who});
      }
    }
    return conjectures;
  };
  return rules;
}

// ---- The two Checks functions ----

// A path may be settled in parts: some of its units checked before, some to be accessed again, some
// remembered on the other side.
bool CheckPass::settled_in_parts(Where where, const PathFact& f,
                                 std::initializer_list<const FactSet*> sets) const {
  FactSet all;
  int contributing = 0;
  for (const FactSet* set : sets) {
    if (set == nullptr) continue;
    const auto about = set->about(f.path.base, f.path.space);
    contributing += !about.empty();
    for (const PathFact& g : about) all.insert(g);
  }
  if (contributing < 2) return false;
  if (reasoner_.entails(where, all, f)) return true;
  reasoner_.merge_adjoining(all, where);
  return reasoner_.entails(where, all, f);
}

FactSet CheckPass::checks(Where where, const FactSet& past, const FactSet& checked,
                          const FactSet& anticipated, const FactSet* remembered) const {
  FactSet result;
  // Writes first: a write check answers for the reads it covers.
  for (ir::AccessKind kind : {ir::AccessKind::Write, ir::AccessKind::Read}) {
    for (const PathFact& f : past.facts()) {
      if (f.kind != kind) continue;
      if (remembered != nullptr && reasoner_.entails(where, *remembered, f)) continue;
      if (reasoner_.entails(where, checked, f)) continue;
      if (reasoner_.entails(where, anticipated, f)) continue;
      if (kind == ir::AccessKind::Read && reasoner_.entails(where, result, f)) continue;
      if (settled_in_parts(where, f, {remembered, &checked, &anticipated})) continue;
      result.insert(f);
    }
  }
  return result;
}

FactSet CheckPass::remembered_on_edge(BlockId from, BlockId to) const {
  FactSet result;
  for (const PathFact& f : past_.at_entry(to).facts()) {
    if (auto path = reasoner_.before_edge(f.path, from, to)) result.insert({f.kind, *path, f.who});
  }
  return result;
}

FactSet CheckPass::checks_on_edge(BlockId from, BlockId to, const FactSet& checked,
                                  const char** rule) const {
  const Where edge{from, to};
  const ir::Cfg& cfg = reasoner_.cfg();
  const FactSet& past = past_.at_exit(from);
  const ir::Loop* loop = cfg.loop_headed_by(to);
  const bool back = cfg.is_retreating(from, to);
  *rule = loop == nullptr ? "IF" : "LOOP";
  if (anticipated_.may_diverge(from, to)) {
    // LOOP-NOTERM: nothing may be carried round, remembered or not.
    *rule = "LOOP-NOTERM";
    return checks(edge, past, checked, {}, nullptr);
  }
  if (reasoner_.function().block(to).predecessors.size() == 1) return {};
  const bool forgotten = mutated(loop == nullptr ? Mutation::IfForgetsChecks
                                 : back          ? Mutation::LoopForgetsBackEdgeChecks
                                                 : Mutation::LoopForgetsEntryChecks);
  const FactSet ahead = anticipated_.on_edge(from, to);
  const bool endless = loop != nullptr && !back && !loop->latches.empty() &&
                       anticipated_.may_diverge(loop->latches[0], to);
  if (endless) {
    // What is pending must not wait for the loop's end; what the loop is sure to access each time
    // round, and may only be checked inside, is better checked now.
    *rule = "LOOP-NOTERM";
    if (forgotten) return {};
    FactSet result = checks(edge, past, checked, ahead, nullptr);
    const FactSet hoisted = hoisted_checks(from, to, checked);
    for (const PathFact& f : hoisted.facts()) result.insert(f);
    return result;
  }
  if (forgotten) return {};
  const FactSet remembered = remembered_on_edge(from, to);
  return checks(edge, past, checked, ahead, &remembered);
}

FactSet CheckPass::hoisted_checks(BlockId from, BlockId to, const FactSet& checked) const {
  FactSet result;
  for (const PathFact& f : hoistable_[index_of(to)].facts()) {
    const auto path = reasoner_.before_edge(f.path, from, to);
    if (path && !reasoner_.entails({from, to}, checked, f.kind, *path)) {
      result.insert({f.kind, *path, f.who, f.sure});
    }
  }
  return result;
}

// Those of the fact's sources that no round goes without, also not the one in which the loop ends:
// what a check ahead of the loop is named after.
Sources CheckPass::accessed_by_every_round(const ir::Loop& loop, const PathFact& f) const {
  Sources all = f.who;
  for (BlockId b : loop.blocks) {
    const auto next = successors(reasoner_.function().block(b).terminator);
    const bool goes_on = std::all_of(
        next.begin(), next.end(), [&](BlockId s) { return loop.contains(s) && s != loop.header; });
    if (goes_on) continue;
    const PathFact* there = past_.at_exit(b).find(f.path);
    all = common_sources(all, there == nullptr ? Sources{} : there->sure);
  }
  return all;
}

void CheckPass::compute_hoistable() {
  for (const ir::Loop& loop : reasoner_.cfg().loops()) {
    const bool endless =
        !loop.irreducible && anticipated_.may_diverge(loop.latches[0], loop.header);
    if (!endless || releases_anywhere(reasoner_.function(), loop, effects_)) continue;
    for (const PathFact& f : anticipated_.at_entry(loop.header).facts()) {
      const bool invariant = reasoner_.cfg().invariant_in(loop, ir::LinearExpr(f.path.base)) &&
                             reasoner_.cfg().invariant_in(loop, f.path.range.begin) &&
                             reasoner_.cfg().invariant_in(loop, f.path.range.end);
      const bool every_time =
          std::all_of(loop.latches.begin(), loop.latches.end(), [&](BlockId latch) {
            return reasoner_.entails({latch, loop.header}, past_.at_exit(latch), f);
          });
      if (!invariant || !every_time) continue;
      PathFact hoisted{f.kind, f.path, f.who, accessed_by_every_round(loop, f)};
      if (options_.exact_sources && !reasoner_.is_exact(hoisted)) continue;
      hoistable_[index_of(loop.header)].insert(std::move(hoisted));
    }
  }
}

// ---- Walking a block ----

std::vector<FactSet> CheckPass::anticipated_in(BlockId b) const {
  const std::size_t n = reasoner_.function().block(b).instructions.size();
  std::vector<FactSet> sets(n + 1);
  // Only releases look at the set, so only they get a copy unless contexts are wanted.
  FactSet state = anticipated_.at_exit(b);
  sets[n] = state;
  for (std::size_t i = n; i-- > 0;) {
    anticipated_.step_back(state, b, i);
    const auto& instruction = reasoner_.function().block(b).instructions[i];
    const bool wanted = options_.record_contexts ||
                        std::holds_alternative<ir::Release>(instruction) ||
                        std::holds_alternative<ir::Call>(instruction);
    if (wanted) sets[i] = state;
  }
  return sets;
}

template <class Place>
void CheckPass::before_instruction(BlockId b, std::size_t i, const FactSet& past, FactSet& checked,
                                   const std::vector<FactSet>& anticipated, Place place) const {
  const ir::Instruction& instruction = reasoner_.function().block(b).instructions[i];
  const Where here{b, std::nullopt};
  const auto add = [&](const char* rule, FactSet set) {
    if (set.empty()) return;
    for (const PathFact& f : set.facts()) checked.insert(f);
    place(CheckSet{Point::before(b, i), rule, std::move(set)});
  };
  if (past_.forgets_for_budget(past, b, i) && !mutated(Mutation::BudgetForgetsChecks)) {
    add("BUDGET", checks(here, past, checked, {}, nullptr));
  }
  const ir::Effects e = effects_of(instruction, effects_);
  const bool is_call = std::holds_alternative<ir::Call>(instruction);
  const bool leaves = e.may_not_return && !mutated(Mutation::NoReturnTreatedAsReturning);
  if (is_call && mutated(Mutation::CallKillsNothing)) return;
  if (e.acquires || leaves) {
    if (!is_call && mutated(Mutation::AcqForgetsChecks)) return;
    add(!is_call     ? "ACQ"
        : e.acquires ? "CALL"
                     : "CALL-NORETURN",
        checks(here, past, checked, {}, nullptr));
  } else if (e.releases) {
    if (!is_call && (mutated(Mutation::RelForgetsChecks) || mutated(Mutation::RelKeepsHistory))) {
      if (mutated(Mutation::RelForgetsChecks)) checked.clear();
      return;
    }
    add(is_call ? "CALL" : "REL", checks(here, past, checked, anticipated[i], nullptr));
  }
  if (e.releases && !(!is_call && mutated(Mutation::RelKeepsHistory))) checked.clear();
  if (checked.size() > 4 * options_.max_facts) checked.clear();
}

template <class Place>
FactSet CheckPass::walk(BlockId b, const FactSet& checked_at_entry, Place place) const {
  FactSet checked = checked_at_entry;
  FactSet past = past_.at_entry(b);
  const ir::Block& block = reasoner_.function().block(b);
  const std::vector<FactSet> anticipated = anticipated_in(b);
  for (std::size_t i = 0; i < block.instructions.size(); ++i) {
    before_instruction(b, i, past, checked, anticipated, place);
    past_.step(past, b, i);
  }
  const bool ends = successors(block.terminator).empty();
  if (ends && !mutated(Mutation::StmtForgetsChecks)) {
    FactSet set = checks({b, std::nullopt}, past, checked, {}, nullptr);
    if (!set.empty()) {
      place(CheckSet{Point::before(b, block.instructions.size()), "STMT", std::move(set)});
    }
  }
  return checked;
}

// ---- The result ----

void CheckPass::run(FunctionPlacement& result) {
  compute_hoistable();
  checked_.solve();
  for (BlockId b : reasoner_.cfg().order()) {
    walk(b, checked_.at_entry(b), [&](CheckSet set) { emit(result.plan, std::move(set)); });
    const auto next = successors(reasoner_.function().block(b).terminator);
    for (BlockId s : next) {
      const char* rule = nullptr;
      FactSet set = checks_on_edge(b, s, checked_.at_exit(b), &rule);
      if (set.empty()) continue;
      const Point point = next.size() == 1
                              ? Point::before(b, reasoner_.function().block(b).instructions.size())
                              : Point::on_edge(b, s);
      emit(result.plan, {point, rule, std::move(set)});
    }
  }
  sort_by_point(result.plan);
  join_common_checks(result.plan, reasoner_, effects_, past_);
  explain(result.plan);
  if (options_.record_hints) record_hints(result.plan);
  if (options_.record_contexts) record_contexts(result);
}

void CheckPass::emit(ir::Plan& plan, CheckSet set) {
  const Where where{set.point.block, set.point.edge_to};
  for (ir::PlacedCheck& check : coalesce(reasoner_, where, set.paths)) {
    check.point = set.point;
    check.rule = set.rule;
    plan.checks.push_back(std::move(check));
  }
}

void CheckPass::record_hints(ir::Plan& plan) const {
  std::set<ir::Hint> hints;
  for (BlockId b : reasoner_.cfg().order()) {
    for (const FactSet* set : {&past_.at_entry(b), &past_.at_exit(b), &checked_.at_entry(b),
                               &checked_.at_exit(b), &anticipated_.at_entry(b)}) {
      for (const PathFact& f : set->facts()) hints.insert({f.kind, f.path});
    }
  }
  plan.hints.assign(hints.begin(), hints.end());
}

void CheckPass::record_contexts(FunctionPlacement& result) {
  result.contexts.resize(reasoner_.function().blocks.size());
  for (BlockId b : reasoner_.cfg().order()) {
    const ir::Block& block = reasoner_.function().block(b);
    const std::vector<FactSet> anticipated = anticipated_in(b);
    FactSet past = past_.at_entry(b);
    FactSet checked = checked_.at_entry(b);
    for (std::size_t i = 0; i <= block.instructions.size(); ++i) {
      PointContext context;
      for (const ir::Atom* a : reasoner_.booleans().visible_from(b, SIZE_MAX)) {
        context.booleans.push_back(*a);
      }
      context.past_accesses = past;
      context.past_checks = checked;
      context.anticipated = anticipated[i];
      result.contexts[index_of(b)].push_back(std::move(context));
      if (i == block.instructions.size()) break;
      before_instruction(b, i, past, checked, anticipated, [](const CheckSet&) {});
      past_.step(past, b, i);
    }
  }
}

// For each access: the checks that stand for it, or why none does.
void CheckPass::explain(ir::Plan& plan) {
  std::vector<const ir::PlacedCheck*> check_of(reasoner_.function().access_count, nullptr);
  for (const ir::PlacedCheck& check : plan.checks) {
    for (const ir::Covered& c : check.stands_for) {
      if (check_of[index_of(c.access)] == nullptr) check_of[index_of(c.access)] = &check;
    }
  }
  for (BlockId b : reasoner_.cfg().order()) {
    const ir::Block& block = reasoner_.function().block(b);
    FactSet checked = checked_.at_entry(b);
    FactSet past = past_.at_entry(b);
    const std::vector<FactSet> anticipated = anticipated_in(b);
    for (std::size_t i = 0; i < block.instructions.size(); ++i) {
      before_instruction(b, i, past, checked, anticipated, [](const CheckSet&) {});
      if (const auto* a = std::get_if<ir::Access>(&block.instructions[i])) {
        ir::Decision d{a->id, ir::Decision::Kind::Anticipated, Point::before(b, i), {}, {}};
        const ir::PlacedCheck* check = check_of[index_of(a->id)];
        const bool covered =
            check == nullptr && reasoner_.entails({b, std::nullopt}, checked, a->kind, a->path);
        if (check == nullptr && !covered) check = check_of_earlier(*a, past, check_of);
        if (check != nullptr) {
          d.kind = ir::Decision::Kind::Checked;
          d.where = check->point;
          d.blocked_by = check->rule;
        } else if (covered) {
          d.kind = ir::Decision::Kind::CoveredBefore;
        } else {
          Sources later;
          for (const PathFact& f : anticipated_.at_exit(b).about(a->path.base, a->path.space)) {
            add_sources(later, f.who);
          }
          d.relies_on.assign(later.begin(), later.end());
        }
        plan.decisions.push_back(std::move(d));
      }
      past_.step(past, b, i);
    }
  }
  std::sort(plan.decisions.begin(), plan.decisions.end(),
            [](const ir::Decision& x, const ir::Decision& y) { return x.access < y.access; });
}

}  // namespace bigfoot::placement
