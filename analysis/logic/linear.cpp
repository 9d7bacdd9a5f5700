#include "analysis/logic/linear.h"

namespace bigfoot::logic {
namespace {

// result += a * b; false on overflow.
bool add_product(std::int64_t& result, std::int64_t a, std::int64_t b) {
  std::int64_t product;
  return !__builtin_mul_overflow(a, b, &product) &&
         !__builtin_add_overflow(result, product, &result);
}

}  // namespace

LinearExpr LinearExpr::invalid() {
  LinearExpr e;
  e.valid_ = false;
  return e;
}

std::int64_t LinearExpr::coefficient_of(SymbolId symbol) const {
  auto it = std::lower_bound(terms_.begin(), terms_.end(), symbol,
                             [](const Term& t, SymbolId s) { return t.symbol < s; });
  return it != terms_.end() && it->symbol == symbol ? it->coefficient : 0;
}

LinearExpr LinearExpr::plus_scaled(const LinearExpr& other, std::int64_t factor) const {
  if (!valid_ || !other.valid_) return invalid();
  LinearExpr result(constant_);
  if (!add_product(result.constant_, other.constant_, factor)) return invalid();
  auto a = terms_.begin();
  auto b = other.terms_.begin();
  while (a != terms_.end() || b != other.terms_.end()) {
    Term term{};
    if (b == other.terms_.end() || (a != terms_.end() && a->symbol < b->symbol)) {
      term = *a++;
    } else {
      const bool both = a != terms_.end() && a->symbol == b->symbol;
      term = {b->symbol, both ? (a++)->coefficient : 0};
      if (!add_product(term.coefficient, b->coefficient, factor)) return invalid();
      ++b;
    }
    if (term.coefficient != 0) result.terms_.push_back(term);
  }
  return result;
}

LinearExpr LinearExpr::substitute(const Replacement& replacement) const {
  if (!valid_) return invalid();
  LinearExpr result(constant_);
  for (const Term& term : terms_) {
    const LinearExpr* by = replacement(term.symbol);
    result = by ? result.plus_scaled(*by, term.coefficient)
                : result.plus_scaled(LinearExpr(term.symbol), term.coefficient);
  }
  return result;
}

std::optional<std::int64_t> LinearExpr::evaluate(const Assignment& value_of) const {
  if (!valid_) return std::nullopt;
  std::int64_t sum = constant_;
  for (const Term& term : terms_) {
    if (!add_product(sum, term.coefficient, value_of(term.symbol))) return std::nullopt;
  }
  return sum;
}

}  // namespace bigfoot::logic
