#include "analysis/solver/infeasible.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

namespace bigfoot::solver {
namespace {

using logic::Atom;
using logic::LinearExpr;
using logic::SymbolId;
using logic::Term;

// More rows than this after one elimination step means the system is not the small kind we expect.
constexpr std::size_t kMaxRows = 160;
// Multiples introduced for congruences are numbered from here, above every program symbol.
constexpr std::uint32_t kFirstAuxiliary = 0xf0000000u;

std::int64_t coefficient_gcd(const LinearExpr& e) {
  std::int64_t gcd = 0;
  for (const Term& t : e.terms()) gcd = std::gcd(gcd, t.coefficient);
  return gcd;
}

class System {
 public:
  explicit System(Budget& budget) : budget_(budget) {}

  void add(const Atom& atom) {
    if (!atom.expr.valid())
      return;  // dropping a constraint only makes the system easier to satisfy
    switch (atom.kind) {
      case Atom::Kind::NonNegative:
        rows_.insert(atom.expr);
        return;
      case Atom::Kind::Zero:
        equalities_.push_back(atom.expr);
        return;
      case Atom::Kind::Divisible: {
        const SymbolId multiple{kFirstAuxiliary + next_auxiliary_++};
        equalities_.push_back(atom.expr.plus_scaled(LinearExpr(multiple), -atom.modulus));
        return;
      }
      case Atom::Kind::NonZero:
        disequalities_.push_back(atom.expr);
        return;
    }
  }

  bool has_no_solution() {
    if (!solve_equalities() || contradicted_) return contradicted_;
    if (disequalities_.empty()) return eliminate(rows_);
    // Each disequality splits the system in two; three of them is what real conditions contain.
    constexpr std::size_t kMaxSplits = 3;
    if (disequalities_.size() > kMaxSplits) disequalities_.resize(kMaxSplits);
    return split(0, rows_);
  }

 private:
  using Rows = std::set<LinearExpr>;

  bool split(std::size_t next, const Rows& rows) {
    if (next == disequalities_.size()) return eliminate(rows);
    const LinearExpr& e = disequalities_[next];
    Rows above = rows, below = rows;
    above.insert(e - 1);
    below.insert(-e - 1);
    return split(next + 1, above) && split(next + 1, below);
  }

  // False when the answer is already known (contradiction, or out of budget).
  bool solve_equalities() {
    std::vector<LinearExpr> todo;
    todo.swap(equalities_);
    while (!todo.empty()) {
      if (!budget_.spend(static_cast<std::int64_t>(1 + rows_.size()))) return false;
      auto unit = std::find_if(todo.begin(), todo.end(), [](const LinearExpr& e) {
        return !e.valid() || e.is_constant() || unit_term(e).has_value();
      });
      if (unit == todo.end()) break;
      const LinearExpr e = *unit;
      todo.erase(unit);
      if (!e.valid()) continue;
      if (e.is_constant()) {
        if (e.constant() != 0) return contradiction();
        continue;
      }
      substitute(*unit_term(e), e, todo);
    }
    for (const LinearExpr& e : todo) {
      const std::int64_t gcd = coefficient_gcd(e);
      if (gcd != 0 && e.constant() % gcd != 0) return contradiction();
      rows_.insert(e);
      rows_.insert(-e);
    }
    return true;
  }

  bool contradiction() {
    contradicted_ = true;
    return false;
  }

  static std::optional<Term> unit_term(const LinearExpr& e) {
    // The youngest symbol goes first: it is the one defined from the others.
    for (std::size_t i = e.terms().size(); i-- > 0;) {
      const Term& t = e.terms()[i];
      if (t.coefficient == 1 || t.coefficient == -1) return t;
    }
    return std::nullopt;
  }

  void substitute(Term unit, const LinearExpr& equality, std::vector<LinearExpr>& todo) {
    // c*x + rest = 0 with c = +-1, so x = -c * rest.
    const LinearExpr solution =
        (equality.plus_scaled(LinearExpr(unit.symbol), -unit.coefficient)) * -unit.coefficient;
    const auto by = [&](SymbolId s) { return s == unit.symbol ? &solution : nullptr; };
    for (LinearExpr& e : todo) e = e.substitute(by);
    for (LinearExpr& e : disequalities_) e = e.substitute(by);
    Rows rows;
    for (const LinearExpr& e : rows_) rows.insert(e.substitute(by));
    rows_.swap(rows);
  }

  // Fourier-Motzkin. True when a row "negative constant >= 0" is derived.
  bool eliminate(Rows rows) {
    while (true) {
      Rows tight;
      for (const LinearExpr& row : rows) {
        if (!row.valid()) continue;
        if (row.is_constant()) {
          if (row.constant() < 0) return true;
          continue;
        }
        tight.insert(tighten(row));
      }
      rows.swap(tight);
      if (rows.empty() || rows.size() > kMaxRows) return false;
      if (!eliminate_one(rows)) return false;
    }
  }

  // Divides by the greatest common divisor of the coefficients, rounding the constant down.
  static LinearExpr tighten(const LinearExpr& row) {
    const std::int64_t gcd = coefficient_gcd(row);
    if (gcd == 1) return row;
    std::int64_t constant = row.constant();
    constant = (constant - logic::floor_mod(constant, gcd)) / gcd;
    LinearExpr result(constant);
    for (const Term& t : row.terms()) {
      result = result.plus_scaled(LinearExpr(t.symbol), t.coefficient / gcd);
    }
    return result;
  }

  // Removes the symbol that multiplies out cheapest.
  bool eliminate_one(Rows& rows) {
    std::map<SymbolId, std::pair<std::int64_t, std::int64_t>> occurrences;  // (positive, negative)
    for (const LinearExpr& row : rows) {
      for (const Term& t : row.terms()) {
        (t.coefficient > 0 ? occurrences[t.symbol].first : occurrences[t.symbol].second)++;
      }
    }
    const auto cheapest =
        std::min_element(occurrences.begin(), occurrences.end(), [](const auto& a, const auto& b) {
          return a.second.first * a.second.second < b.second.first * b.second.second;
        });
    const SymbolId symbol = cheapest->first;
    std::vector<const LinearExpr*> lower, upper;
    Rows next;
    for (const LinearExpr& row : rows) {
      const std::int64_t c = row.coefficient_of(symbol);
      if (c > 0) {
        lower.push_back(&row);
      } else if (c < 0) {
        upper.push_back(&row);
      } else {
        next.insert(row);
      }
    }
    for (const LinearExpr* l : lower) {
      for (const LinearExpr* u : upper) {
        if (!budget_.spend()) return false;
        next.insert((*l * -u->coefficient_of(symbol)).plus_scaled(*u, l->coefficient_of(symbol)));
      }
    }
    rows.swap(next);
    return true;
  }

  Budget& budget_;
  Rows rows_;  // each >= 0
  std::vector<LinearExpr> equalities_;
  std::vector<LinearExpr> disequalities_;
  std::uint32_t next_auxiliary_ = 0;
  bool contradicted_ = false;
};

}  // namespace

bool infeasible(std::span<const Atom> constraints, Budget& budget) {
  System system(budget);
  for (const Atom& atom : constraints) system.add(atom);
  return system.has_no_solution();
}

}  // namespace bigfoot::solver
