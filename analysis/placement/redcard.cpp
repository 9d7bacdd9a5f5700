// Specifications are inferred in two sweeps over the call graph. Callees first, what they ensure,
// with nothing required (sound, whatever is required later). Then callers first, what they require:
// the meet over all call sites. A function that is forked, starts a thread, or takes part in
// recursion requires nothing.
#include "analysis/placement/redcard.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "analysis/placement/boolean_pass.h"
#include "analysis/placement/effects.h"
#include "analysis/placement/mutation.h"
#include "analysis/placement/past_accesses.h"

namespace bigfoot::placement {
namespace {

using ir::BlockId;
using ir::FunctionId;
using ir::LinearExpr;
using ir::Point;
using ir::SymbolId;

std::vector<LinearExpr> actuals_of(const ir::Call& call) {
  std::vector<LinearExpr> actuals;
  if (call.receiver) actuals.push_back(*call.receiver);
  actuals.insert(actuals.end(), call.arguments.begin(), call.arguments.end());
  return actuals;
}

// A path with every symbol replaced; nothing if one has no replacement or the base is not a symbol.
std::optional<PathFact> translate(const PathFact& f, const LinearExpr::Replacement& replacement) {
  bool complete = true;
  const LinearExpr::Replacement by = [&](SymbolId s) {
    const LinearExpr* e = replacement(s);
    complete &= e != nullptr;
    return e;
  };
  PathFact result = f;
  const LinearExpr base = LinearExpr(f.path.base).substitute(by);
  result.path.range = f.path.range.substitute(by);
  if (!complete || !base.is_symbol() || !result.path.range.valid()) return std::nullopt;
  result.path.base = base.symbol();
  result.who = {};
  return result;
}

// Callee's parameters -> this call's arguments.
std::optional<PathFact> into_caller(const PathFact& f, const ir::Function& callee,
                                    const ir::Call& call) {
  const std::vector<LinearExpr> actuals = actuals_of(call);
  return translate(f, [&](SymbolId s) -> const LinearExpr* {
    for (std::size_t k = 0; k < callee.parameters.size() && k < actuals.size(); ++k) {
      if (callee.parameters[k] == s) return &actuals[k];
    }
    return nullptr;
  });
}

// The other way: an argument x + c makes x the parameter minus c.
std::optional<PathFact> into_callee(const PathFact& f, const ir::Function& callee,
                                    const ir::Call& call) {
  const std::vector<LinearExpr> actuals = actuals_of(call);
  std::vector<std::pair<SymbolId, LinearExpr>> formals;
  for (std::size_t k = 0; k < callee.parameters.size() && k < actuals.size(); ++k) {
    const auto& terms = actuals[k].terms();
    if (terms.size() != 1 || terms[0].coefficient != 1) continue;
    formals.emplace_back(terms[0].symbol, LinearExpr(callee.parameters[k]) - actuals[k].constant());
  }
  return translate(f, [&](SymbolId s) -> const LinearExpr* {
    for (const auto& [symbol, formal] : formals) {
      if (symbol == s) return &formal;
    }
    return nullptr;
  });
}

std::vector<ir::Specification::Item> items_of(const FactSet& facts) {
  std::vector<ir::Specification::Item> items;
  for (const PathFact& f : facts.facts()) items.push_back({f.kind, f.path});
  return items;
}

class RedCard {
 public:
  RedCard(const ir::Program& program, logic::Entailment& entailment, const Options& options,
          const std::vector<ir::Effects>& effects, std::vector<FunctionPlacement>& functions)
      : program_(program),
        entailment_(entailment),
        options_(options),
        functions_(functions),
        call_effects_(effects),
        required_(program.functions.size()),
        open_(program.functions.size(), true) {
    if (!options.interprocedural) {
      for (ir::Effects& e : call_effects_) e.releases = true;
    }
  }

  void run() {
    const std::vector<FunctionId> callees_first = order();
    if (options_.interprocedural && options_.detector == Detector::RedCard) {
      for (FunctionId f : callees_first) ensure(f);
      close_entry_points();
      for (auto it = callees_first.rbegin(); it != callees_first.rend(); ++it) require(*it);
    }
    for (std::size_t i = 0; i < functions_.size(); ++i)
      place(FunctionId(static_cast<std::uint32_t>(i)));
  }

 private:
  const ir::Function& function(FunctionId f) const {
    return functions_[index_of(f)].analysed.function;
  }

  ir::Specification& specification(FunctionId f) {
    return functions_[index_of(f)].plan.specification;
  }

  // Callees before callers; members of a recursion in any order.
  std::vector<FunctionId> order() {
    std::vector<FunctionId> result;
    std::vector<std::uint8_t> state(functions_.size(), 0);
    const std::function<void(FunctionId)> visit = [&](FunctionId f) {
      state[index_of(f)] = 1;
      for_calls(f, [&](const ir::Call& c) {
        if (state[index_of(*c.callee)] == 1) recursive_.insert(*c.callee);
        if (state[index_of(*c.callee)] == 0) visit(*c.callee);
      });
      state[index_of(f)] = 2;
      result.push_back(f);
    };
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      if (state[i] == 0) visit(FunctionId(static_cast<std::uint32_t>(i)));
    }
    return result;
  }

  template <class Use>
  void for_calls(FunctionId f, Use use) const {
    for (const ir::Block& b : function(f).blocks) {
      for (const ir::Instruction& i : b.instructions) {
        const auto* call = std::get_if<ir::Call>(&i);
        if (call != nullptr && call->callee) use(*call);
      }
    }
  }

  // The two passes RedCard needs, with what is known of callees and callers so far.
  struct Analysis {
    explicit Analysis(const ir::Function& f, logic::Entailment& e) : cfg(f), reasoner(cfg, e) {}
    ir::Cfg cfg;
    Reasoner reasoner;
    std::unique_ptr<PastAccesses> past;
  };
  std::unique_ptr<Analysis> analyse(FunctionId f) {
    auto a = std::make_unique<Analysis>(function(f), entailment_);
    compute_boolean_facts(a->reasoner);
    FactSet start;
    for (const auto& [kind, path] : specification(f).requires_checked) {
      start.insert({kind, path, {}});
    }
    a->past = std::make_unique<PastAccesses>(a->reasoner, options_, call_effects_, start);
    a->past->set_ensured([this](const ir::Call& call) {
      std::vector<PathFact> facts;
      if (!call.callee || call.forks) return facts;
      for (const auto& [kind, path] : specification(*call.callee).ensures_checked) {
        auto here = into_caller({kind, path, {}}, function(*call.callee), call);
        if (here) facts.push_back(std::move(*here));
      }
      return facts;
    });
    a->past->solve();
    return a;
  }

  template <class Use>
  void walk(const Analysis& a, FunctionId f, Use use) const {
    for (BlockId b : a.cfg.order()) {
      FactSet state = a.past->at_entry(b);
      for (std::size_t i = 0; i < function(f).block(b).instructions.size(); ++i) {
        use(b, i, function(f).block(b).instructions[i], state);
        a.past->step(state, b, i);
      }
    }
  }

  void ensure(FunctionId f) {
    const auto a = analyse(f);
    std::optional<FactSet> common;
    for (BlockId b : a->cfg.order()) {
      // A caller may come out of the call either way, so both must ensure it.
      const auto& terminator = function(f).block(b).terminator;
      if (!std::holds_alternative<ir::Return>(terminator) &&
          !std::holds_alternative<ir::Throw>(terminator)) {
        continue;
      }
      FactSet at_end = a->past->at_exit(b);
      at_end.remove_if([&](const PathFact& p) { return !over_parameters(f, p); });
      if (common) {
        common->remove_if([&](const PathFact& p) {
          return !a->reasoner.entails({b, std::nullopt}, at_end, p);
        });
      } else {
        common = at_end;
      }
    }
    if (common) specification(f).ensures_checked = items_of(*common);
  }

  bool over_parameters(FunctionId f, const PathFact& p) const {
    const auto& formals = function(f).parameters;
    return translate(p,
                     [&](SymbolId s) -> const LinearExpr* {
                       static thread_local LinearExpr same;
                       same = LinearExpr(s);
                       const bool formal =
                           std::find(formals.begin(), formals.end(), s) != formals.end();
                       return formal ? &same : nullptr;
                     })
        .has_value();
  }

  void close_entry_points() {
    std::set<FunctionId> called;
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      for_calls(FunctionId(static_cast<std::uint32_t>(i)), [&](const ir::Call& c) {
        called.insert(*c.callee);
        if (c.forks) open_[index_of(*c.callee)] = false;
      });
    }
    for (FunctionId f : program_.thread_entries) open_[index_of(f)] = false;
    for (FunctionId f : recursive_) open_[index_of(f)] = false;
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      if (!called.contains(FunctionId(static_cast<std::uint32_t>(i)))) open_[i] = false;
    }
  }

  // f's own requirement is settled (all its callers have been visited); look at what it calls.
  void require(FunctionId f) {
    if (open_[index_of(f)] && required_[index_of(f)]) {
      specification(f).requires_checked = items_of(*required_[index_of(f)]);
    }
    const auto a = analyse(f);
    walk(*a, f, [&](BlockId b, std::size_t, const ir::Instruction& i, const FactSet& state) {
      const auto* call = std::get_if<ir::Call>(&i);
      if (call == nullptr || !call->callee || !open_[index_of(*call->callee)]) return;
      auto& wanted = required_[index_of(*call->callee)];
      if (wanted) {
        wanted->remove_if([&](const PathFact& p) {
          const auto here = into_caller(p, function(*call->callee), *call);
          return !here || !a->reasoner.entails({b, std::nullopt}, state, *here);
        });
        return;
      }
      wanted.emplace();
      for (const PathFact& p : state.facts()) {
        if (auto there = into_callee(p, function(*call->callee), *call)) wanted->insert(*there);
      }
    });
  }

  void place(FunctionId f) {
    const auto a = analyse(f);
    ir::Plan& plan = functions_[index_of(f)].plan;
    FactSet from_callers;
    for (const auto& [kind, path] : specification(f).requires_checked) {
      from_callers.insert({kind, path, {}});
    }
    if (options_.record_contexts) {
      functions_[index_of(f)].contexts.resize(function(f).blocks.size());
    }
    for (BlockId b : a->cfg.order()) {
      FactSet state = a->past->at_entry(b);
      const auto& instructions = function(f).block(b).instructions;
      for (std::size_t i = 0; i <= instructions.size(); ++i) {
        if (options_.record_contexts) record(f, *a, b, state);
        if (i == instructions.size()) break;
        if (const auto* access = std::get_if<ir::Access>(&instructions[i])) {
          decide(*a, b, i, *access, state, from_callers, plan);
        }
        a->past->step(state, b, i);
      }
    }
    if (options_.record_hints) record_hints(*a, plan);
    std::sort(plan.checks.begin(), plan.checks.end(),
              [](const auto& x, const auto& y) { return x.point < y.point; });
    std::sort(plan.decisions.begin(), plan.decisions.end(),
              [](const auto& x, const auto& y) { return x.access < y.access; });
  }

  // Ranges of accesses that have no checks of their own, which a verifier could only guess.
  static void record_hints(const Analysis& a, ir::Plan& plan) {
    std::set<ir::Hint> hints;
    for (BlockId b : a.cfg.order()) {
      for (const FactSet* set : {&a.past->at_entry(b), &a.past->at_exit(b)}) {
        for (const PathFact& f : set->facts()) hints.insert({f.kind, f.path});
      }
    }
    plan.hints.assign(hints.begin(), hints.end());
  }

  void decide(Analysis& a, BlockId b, std::size_t i, const ir::Access& access, const FactSet& state,
              const FactSet& from_callers, ir::Plan& plan) const {
    const Where here{b, std::nullopt};
    const ir::AccessKind kind =
        mutated(Mutation::RedcardReadCoversWrite) ? ir::AccessKind::Read : access.kind;
    const bool redundant = options_.detector == Detector::RedCard &&
                           a.reasoner.entails(here, state, kind, access.path);
    if (redundant) {
      const bool callers = a.reasoner.entails(here, from_callers, kind, access.path);
      plan.decisions.push_back(
          {access.id,
           callers ? ir::Decision::Kind::RequiredByCaller : ir::Decision::Kind::CoveredBefore,
           Point::before(b, i),
           {},
           {}});
      return;
    }
    ir::PlacedCheck check;
    check.point = Point::before(b, i);
    check.check = {access.kind, access.path.base, access.path.space, {access.path.range}};
    check.stands_for = {{access.id, access.path.range}};
    check.rule = access.kind == ir::AccessKind::Read ? "READ" : "WRITE";
    plan.decisions.push_back(
        {access.id, ir::Decision::Kind::Checked, check.point, "not moved", {}});
    plan.checks.push_back(std::move(check));
  }

  void record(FunctionId f, Analysis& a, BlockId b, const FactSet& state) {
    PointContext context;
    for (const ir::Atom* atom : a.reasoner.booleans().visible_from(b, SIZE_MAX)) {
      context.booleans.push_back(*atom);
    }
    context.past_accesses = state;
    functions_[index_of(f)].contexts[index_of(b)].push_back(std::move(context));
  }

  const ir::Program& program_;
  logic::Entailment& entailment_;
  const Options& options_;
  std::vector<FunctionPlacement>& functions_;
  std::vector<ir::Effects> call_effects_;  // with "every call ends the span" in the intra mode
  std::vector<std::optional<FactSet>> required_;
  std::vector<bool> open_;  // may require something
  std::set<FunctionId> recursive_;
};

}  // namespace

void place_redcard(const ir::Program& program, logic::Entailment& entailment,
                   const Options& options, const std::vector<ir::Effects>& effects,
                   std::vector<FunctionPlacement>& functions) {
  RedCard(program, entailment, options, effects, functions).run();
}

}  // namespace bigfoot::placement
