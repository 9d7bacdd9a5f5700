// Coverage by sweeping. `covered` is a bound such that every element of the target that starts
// before it is known to be in a source. It begins at the target's begin and moves right each time a
// source starts at or before it:
//
//     target   |-----------------------|
//     sources  |-------|
//                      |---------|
//                            |------------|        covered: begin -> ... -> past the end: done
//
// Each move needs one inequality. No order between the sources' ends is needed: a source that ends
// early just moves the bound to a smaller (still correct) place.
//
// What no sweep covers as a whole may be covered column by column (columns.h).
#include "analysis/solver/affine.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "analysis/solver/columns.h"
#include "analysis/solver/counterexample.h"

namespace bigfoot::solver {
namespace {

using logic::Atom;
using logic::Coverage;
using logic::LinearExpr;
using logic::Query;
using logic::Range;
using logic::Verdict;

// What setting up one elimination costs, in steps.
constexpr std::int64_t kStepsPerGoal = 10;

class Prover {
 public:
  Prover(std::span<const Atom> facts, Budget& budget)
      : facts_(facts.begin(), facts.end()), budget_(budget) {}

  void assume(const Atom& fact) { facts_.push_back(fact); }

  bool proves(const Atom& goal) {
    if (!goal.expr.valid()) return false;
    if (const auto truth = goal.constant_truth()) return *truth || facts_contradict();
    for (const Atom& fact : facts_) {
      if (fact == goal) return true;
    }
    if (!budget_.spend(kStepsPerGoal)) return false;
    switch (goal.kind) {
      case Atom::Kind::Zero:
        return excludes({Atom::Kind::NonNegative, goal.expr - 1, 0}) &&
               excludes({Atom::Kind::NonNegative, -goal.expr - 1, 0});
      case Atom::Kind::Divisible:
        return proves_divisible(goal);
      default:
        return excludes(*goal.negation());
    }
  }

  bool at_most(const LinearExpr& a, const LinearExpr& b) { return proves(Atom::at_most(a, b)); }

  bool facts_contradict() { return !facts_.empty() && infeasible(facts_, budget_); }

 private:
  bool excludes(const Atom& extra) {
    facts_.push_back(extra);
    const bool result = infeasible(facts_, budget_);
    facts_.pop_back();
    return result;
  }

  // A multiple of the modulus, possibly after adding or subtracting one or two known multiples.
  bool proves_divisible(const Atom& goal) {
    std::vector<LinearExpr> known{LinearExpr(0)};
    for (const Atom& fact : facts_) {
      const bool usable = fact.kind == Atom::Kind::Zero ||
                          (fact.kind == Atom::Kind::Divisible && fact.modulus % goal.modulus == 0);
      if (!usable) continue;
      known.push_back(fact.expr);
      known.push_back(-fact.expr);
    }
    for (const LinearExpr& a : known) {
      for (const LinearExpr& b : known) {
        if (!budget_.spend()) return false;
        if (logic::constant_remainder(goal.expr + a + b, goal.modulus) == 0) return true;
      }
    }
    return facts_contradict();
  }

  std::vector<Atom> facts_;
  Budget& budget_;
};

class Sweep {
 public:
  Sweep(const Range& target, std::span<const Range> sources, std::span<const Atom> facts,
        Budget& budget)
      : target_(target), sources_(sources), facts_(facts), budget_(budget) {}

  bool covered() {
    if (!target_.valid()) return false;
    if (prover().at_most(target_.end, target_.begin)) return true;  // nothing to cover
    return advance(target_.begin);
  }

 private:
  Prover prover() { return Prover(facts_, budget_); }

  // Bounds that led nowhere are not tried again, so there are at most as many steps as there are
  // ends of sources.
  bool advance(const LinearExpr& covered) {
    if (!tried_.insert(covered).second) return false;
    Prover p = prover();
    p.assume(Atom::less(target_.begin, target_.end));
    if (p.at_most(target_.end, covered)) return true;
    if (budget_.exhausted()) return false;
    p.assume(Atom::less(covered, target_.end));  // otherwise there is nothing left to show
    // Two rounds: sources that start exactly here, then those that provably start no later.
    for (const bool exact : {true, false}) {
      for (std::size_t i = 0; i < sources_.size(); ++i) {
        const Range& source = sources_[i];
        if (!source.valid() || (source.begin == covered) != exact) continue;
        if (!exact && !p.at_most(source.begin, covered)) continue;
        const auto next = end_of_cover(source, p);
        if (next && advance(*next)) return true;
      }
    }
    return false;
  }

  // The bound up to which target elements are in `source`, given that it starts early enough.
  std::optional<LinearExpr> end_of_cover(const Range& source, Prover& p) {
    if (source.contiguous()) {
      const LinearExpr last_start = source.end - target_.width;
      // Elements start on the target's grid: the first one after last_start is up to a step away.
      const auto past_grid = remainder(last_start - target_.begin, target_.step, p);
      return past_grid ? last_start + (target_.step - *past_grid) : last_start + 1;
    }
    // Each target element lies `offset` into an element of the source. It begins at or after the
    // source does, so the element around it does, too.
    if (const auto offset =
            target_.step % source.step == 0 ? offset_in(source, target_, p) : std::nullopt;
        offset && *offset + target_.width <= source.width) {
      return source.end + *offset;
    }
    if (is_one_element_of(source, p)) return target_.end;
    return std::nullopt;
  }

  // How far into an element of `source` the target begins, modulo the source's step.
  static std::optional<std::int64_t> offset_in(const Range& source, const Range& target,
                                               Prover& p) {
    return remainder(target.begin - source.begin, source.step, p);
  }

  static std::optional<std::int64_t> remainder(const LinearExpr& e, std::int64_t modulus,
                                               Prover& p) {
    if (const auto known = logic::constant_remainder(e, modulus)) return known;
    if (e.valid() && p.proves(Atom::congruent(0, e, modulus))) return 0;
    return std::nullopt;
  }

  // A short contiguous target may lie in a single element of a strided source.
  bool is_one_element_of(const Range& source, Prover& p) {
    const auto length = target_.constant_length();
    if (!length || *length > source.width) return false;
    const auto offset = offset_in(source, target_, p);
    return offset && *offset + *length <= source.width && p.at_most(source.begin, target_.begin) &&
           p.proves(Atom::less(target_.begin - *offset, source.end));
  }

  const Range& target_;
  std::span<const Range> sources_;
  std::set<LinearExpr> tried_;
  std::span<const Atom> facts_;
  Budget& budget_;
};

bool proves_coverage(const Coverage& goal, std::span<const Atom> facts) {
  Budget budget{AffineEngine::kStepsPerQuery};
  if (Sweep(goal.target, goal.sources, facts, budget).covered()) return true;
  if (!goal.target.valid()) return false;
  const std::vector<Range> pieces = columns(goal.target, goal.sources);
  Budget for_pieces{AffineEngine::kStepsPerQuery};
  return pieces.size() > 1 && std::all_of(pieces.begin(), pieces.end(), [&](const Range& piece) {
           return Sweep(piece, goal.sources, facts, for_pieces).covered();
         });
}

}  // namespace

Verdict AffineEngine::decide(const Query& query) {
  // Falsehood first: most goals are false, and a found counterexample is the cheapest answer.
  Budget search{kStepsPerQuery};
  if (has_counterexample(query, search)) return Verdict::Refuted;
  if (const auto* coverage = std::get_if<Coverage>(&query.goal)) {
    return proves_coverage(*coverage, query.facts) ? Verdict::Proved : Verdict::Unknown;
  }
  Budget budget{kStepsPerQuery};
  return Prover(query.facts, budget).proves(std::get<Atom>(query.goal)) ? Verdict::Proved
                                                                        : Verdict::Unknown;
}

}  // namespace bigfoot::solver
