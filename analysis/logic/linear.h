// Linear integer expressions c0 + c1*x1 + ... + cn*xn, the only arithmetic the facts speak about.
//
// Values are mathematical integers held in 64 bits. Arithmetic that would leave 64 bits makes the
// result *invalid* instead of wrapping; an invalid expression is never a premise and never proved,
// so an overflow inside the analysis costs precision and nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include "analysis/logic/symbol.h"

namespace bigfoot::logic {

struct Term {
  SymbolId symbol;
  std::int64_t coefficient;
  auto operator<=>(const Term&) const = default;
};

// A vector of terms that keeps up to three in place. Nearly all expressions have one or two, and
// placement copies them by the million: with a plain vector half its time went to the allocator.
class TermList {
 public:
  TermList() = default;
  TermList(std::initializer_list<Term> terms) {
    for (const Term& t : terms) push_back(t);
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Term* begin() const { return size_ <= kInPlace ? in_place_.data() : spilled_.data(); }
  const Term* end() const { return begin() + size_; }
  const Term& operator[](std::size_t i) const { return begin()[i]; }
  void push_back(const Term& t) {
    if (size_ < kInPlace) {
      in_place_[size_] = t;
    } else {
      if (size_ == kInPlace) spilled_.assign(in_place_.begin(), in_place_.end());
      spilled_.push_back(t);
    }
    ++size_;
  }
  std::strong_ordering operator<=>(const TermList& o) const {
    return std::lexicographical_compare_three_way(begin(), end(), o.begin(), o.end());
  }
  bool operator==(const TermList& o) const {
    return size_ == o.size_ && std::equal(begin(), end(), o.begin());
  }

 private:
  static constexpr std::size_t kInPlace = 3;
  std::size_t size_ = 0;
  std::array<Term, kInPlace> in_place_{};
  std::vector<Term> spilled_;
};

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
