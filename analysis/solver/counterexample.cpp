#include "analysis/solver/counterexample.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

namespace bigfoot::solver {
namespace {

using logic::Atom;
using logic::Coverage;
using logic::LinearExpr;
using logic::Query;
using logic::Range;
using logic::SymbolId;
using logic::Term;

// A target longer than this is looked at from both ends only.
constexpr std::int64_t kUnitsFromEachEnd = 24;
constexpr int kRepairs = 24;

class Search {
 public:
  Search(const Query& query, Budget& budget) : query_(query), budget_(budget) {
    for (const Atom& fact : query.facts) collect(fact.expr);
    if (const auto* atom = std::get_if<Atom>(&query.goal)) {
      collect(atom->expr);
    } else {
      const auto& coverage = std::get<Coverage>(query.goal);
      collect(coverage.target);
      for (const Range& source : coverage.sources) collect(source);
    }
  }

  bool run() {
    // Distances between symbols matter more than their sizes: all equal, spread apart, reversed.
    constexpr std::array<std::array<std::int64_t, 2>, 5> kStarts{
        {{0, 0}, {1, 0}, {0, 7}, {100, -9}, {5, 3}}};
    for (const auto& [first, stride] : kStarts) {
      std::int64_t value = first;
      for (auto& [symbol, v] : values_) {
        v = value;
        value += stride;
      }
      if (repair() && (violates_goal() || push_goal())) return true;
      if (budget_.exhausted()) return false;
    }
    return false;
  }

 private:
  void collect(const LinearExpr& e) {
    for (const Term& t : e.terms()) values_.emplace(t.symbol, 0);
  }
  void collect(const Range& r) {
    collect(r.begin);
    collect(r.end);
  }
  LinearExpr::Assignment lookup() const {
    return [this](SymbolId s) { return values_.at(s); };
  }

  // Moves single symbols until every fact holds.
  bool repair() {
    for (int i = 0; i < kRepairs; ++i) {
      const Atom* broken = nullptr;
      for (const Atom& fact : query_.facts) {
        if (!budget_.spend()) return false;
        if (!fact.holds(lookup()).value_or(false)) {
          broken = &fact;
          break;
        }
      }
      if (broken == nullptr) return true;
      if (!move_towards(*broken, i)) return false;
    }
    return false;
  }

  // Changes one unit-coefficient symbol so that `atom` just holds. `turn` rotates the choice so
  // that two facts that pull on one symbol do not undo each other for ever.
  bool move_towards(const Atom& atom, int turn) {
    const auto value = atom.expr.evaluate(lookup());
    if (!value) return false;
    const auto& terms = atom.expr.terms();
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const Term& t = terms[(k + static_cast<std::size_t>(turn)) % terms.size()];
      if (t.coefficient != 1 && t.coefficient != -1) continue;
      std::int64_t delta = 0;
      if (!missing(atom, *value, delta)) return false;
      std::int64_t& v = values_.at(t.symbol);
      return !__builtin_add_overflow(v, delta * t.coefficient, &v);
    }
    return false;
  }

  static bool missing(const Atom& atom, std::int64_t value, std::int64_t& delta) {
    if (atom.kind == Atom::Kind::NonZero) {
      delta = 1;
    } else if (atom.kind == Atom::Kind::Divisible) {
      delta = -logic::floor_mod(value, atom.modulus);
    } else {
      return !__builtin_sub_overflow(std::int64_t{0}, value, &delta);
    }
    return true;
  }

  // The facts hold but so does the goal: negate it, repair once more, and look again.
  bool push_goal() {
    const auto* atom = std::get_if<Atom>(&query_.goal);
    if (atom == nullptr) return false;
    const auto negated = atom->negation();
    if (!negated) return false;
    for (int turn = 0; turn < 2; ++turn) {
      if (!move_towards(*negated, turn)) return false;
      if (repair() && violates_goal()) return true;
    }
    return false;
  }

  bool violates_goal() {
    if (const auto* atom = std::get_if<Atom>(&query_.goal)) {
      return !atom->holds(lookup()).value_or(true);
    }
    const auto& coverage = std::get<Coverage>(query_.goal);
    const auto begin = coverage.target.begin.evaluate(lookup());
    const auto end = coverage.target.end.evaluate(lookup());
    if (!begin || !end || *begin >= *end) return false;
    const std::int64_t last = *end + coverage.target.width;
    for (std::int64_t i = 0; i < kUnitsFromEachEnd; ++i) {
      if (escapes(*begin + i) || escapes(last - i)) return true;
    }
    return false;
  }

  bool escapes(std::int64_t unit) {
    const auto& coverage = std::get<Coverage>(query_.goal);
    if (!budget_.spend() || !contains_unit(coverage.target, lookup(), unit)) return false;
    return std::none_of(coverage.sources.begin(), coverage.sources.end(),
                        [&](const Range& source) { return contains_unit(source, lookup(), unit); });
  }

  const Query& query_;
  Budget& budget_;
  std::map<SymbolId, std::int64_t> values_;
};

bool usable(const LinearExpr& e) {
  return e.valid();
}

}  // namespace

bool has_counterexample(const Query& query, Budget& budget) {
  for (const Atom& fact : query.facts) {
    if (!usable(fact.expr)) return false;
  }
  if (const auto* atom = std::get_if<Atom>(&query.goal)) {
    if (!usable(atom->expr)) return false;
  } else {
    const auto& coverage = std::get<Coverage>(query.goal);
    if (!coverage.target.valid()) return false;
    for (const Range& source : coverage.sources) {
      if (!source.valid()) return false;
    }
  }
  return Search(query, budget).run();
}

}  // namespace bigfoot::solver
