#include "analysis/solver/smtlib.h"

#include <map>

namespace bigfoot::solver {
namespace {

using logic::Atom;
using logic::Coverage;
using logic::LinearExpr;
using logic::Query;
using logic::Range;
using logic::SymbolId;

class Writer {
 public:
  std::string script(const Query& query) {
    std::string body;
    for (const Atom& fact : query.facts) {
      if (fact.expr.valid()) body += "(assert " + atom(fact) + ")\n";
    }
    if (const auto* goal = std::get_if<Atom>(&query.goal)) {
      body += "(assert (not " + (goal->expr.valid() ? atom(*goal) : "false") + "))\n";
    } else {
      body += escaping_unit(std::get<Coverage>(query.goal));
    }
    std::string text = "(set-logic QF_LIA)\n";
    for (std::size_t i = 0; i < names_.size(); ++i) {
      text += "(declare-const v" + std::to_string(i) + " Int)\n";
    }
    return text + body + "(check-sat)\n";
  }

 private:
  static std::string number(std::int64_t n) {
    if (n >= 0) return std::to_string(n);
    return "(- " +
           std::to_string(-static_cast<__int128>(n) > INT64_MAX ? static_cast<std::uint64_t>(n)
                                                                : static_cast<std::uint64_t>(-n)) +
           ")";
  }
  std::string name(SymbolId symbol) {
    const auto it = names_.emplace(symbol, names_.size()).first;
    return "v" + std::to_string(it->second);
  }
  std::string expr(const LinearExpr& e) {
    if (e.terms().empty()) return number(e.constant());
    std::string text = "(+ " + number(e.constant());
    for (const auto& t : e.terms()) {
      text += t.coefficient == 1 ? " " + name(t.symbol)
                                 : " (* " + number(t.coefficient) + " " + name(t.symbol) + ")";
    }
    return text + ")";
  }
  std::string atom(const Atom& a) {
    const std::string e = expr(a.expr);
    switch (a.kind) {
      case Atom::Kind::NonNegative:
        return "(>= " + e + " 0)";
      case Atom::Kind::Zero:
        return "(= " + e + " 0)";
      case Atom::Kind::NonZero:
        return "(not (= " + e + " 0))";
      case Atom::Kind::Divisible:
        return "(= (mod " + e + " " + number(a.modulus) + ") 0)";
    }
    __builtin_unreachable();
  }
  std::string member(const Range& r) {
    if (!r.valid()) return "false";
    const std::string begin = expr(r.begin);
    const std::string end = expr(r.end);
    if (r.contiguous()) return "(and (<= " + begin + " unit) (< unit " + end + "))";
    const std::string offset = "(mod (- unit " + begin + ") " + number(r.step) + ")";
    return "(and (<= " + begin + " unit) (< (- unit " + offset + ") " + end + ") (< " + offset +
           " " + number(r.width) + "))";
  }
  std::string escaping_unit(const Coverage& coverage) {
    std::string text = "(declare-const unit Int)\n";
    text += "(assert " + (coverage.target.valid() ? member(coverage.target) : "true") + ")\n";
    for (const Range& source : coverage.sources) {
      text += "(assert (not " + member(source) + "))\n";
    }
    return text;
  }

  std::map<SymbolId, std::size_t> names_;
};

}  // namespace

std::string to_smtlib(const Query& query) {
  return Writer().script(query);
}

}  // namespace bigfoot::solver
