// Linear integer expressions c0 + c1*x1 + ... + cn*xn, the only arithmetic the facts speak about.
//
// Values are mathematical integers held in 64 bits. Arithmetic that would leave 64 bits makes the
// result *invalid* instead of wrapping; an invalid expression is never a premise and never proved,
// so an overflow inside the analysis costs precision and nothing else.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/logic/short_list.h"
#include "analysis/logic/symbol.h"

namespace bigfoot::logic {

struct Term {
  SymbolId symbol;
  std::int64_t coefficient;
  auto operator<=>(const Term&) const = default;
};

using TermList = ShortList<Term, 3>;

class LinearExpr {
 public:
  LinearExpr() = default;
  LinearExpr(std::int64_t constant) : constant_(constant) {}  // NOLINT: a literal is an expression
  LinearExpr(SymbolId symbol) : terms_{{symbol, 1}} {}        // NOLINT: so is a symbol

  static LinearExpr invalid();

  bool valid() const { return valid_; }
  bool is_constant() const { return valid_ && terms_.empty(); }
  bool is_symbol() const {
    return valid_ && constant_ == 0 && terms_.size() == 1 && terms_[0].coefficient == 1;
  }
  // REQUIRES: is_symbol().
  SymbolId symbol() const { return terms_[0].symbol; }

  std::int64_t constant() const { return constant_; }
  // Sorted by symbol, no zero coefficient, so that equal expressions compare equal.
  const TermList& terms() const { return terms_; }
  std::int64_t coefficient_of(SymbolId symbol) const;
  bool mentions(SymbolId symbol) const { return coefficient_of(symbol) != 0; }

  LinearExpr operator+(const LinearExpr& other) const { return plus_scaled(other, 1); }
  LinearExpr operator-(const LinearExpr& other) const { return plus_scaled(other, -1); }
  LinearExpr operator-() const { return LinearExpr().plus_scaled(*this, -1); }
  LinearExpr operator*(std::int64_t factor) const {
    return LinearExpr().plus_scaled(*this, factor);
  }
  LinearExpr plus_scaled(const LinearExpr& other, std::int64_t factor) const;

  // Replaces every symbol for which `replacement` has an expression, all at once.
  using Replacement = std::function<const LinearExpr*(SymbolId)>;
  LinearExpr substitute(const Replacement& replacement) const;

  // The value under an assignment of symbols to integers; nothing when it leaves 64 bits.
  using Assignment = std::function<std::int64_t(SymbolId)>;
  std::optional<std::int64_t> evaluate(const Assignment& value_of) const;

  auto operator<=>(const LinearExpr&) const = default;
  bool operator==(const LinearExpr&) const = default;

 private:
  bool valid_ = true;
  std::int64_t constant_ = 0;
  TermList terms_;
};

}  // namespace bigfoot::logic
