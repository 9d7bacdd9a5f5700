#include "analysis/logic/atom.h"

namespace bigfoot::logic {
namespace {

bool truth_of(const Atom& atom, std::int64_t value) {
  switch (atom.kind) {
    case Atom::Kind::NonNegative:
      return value >= 0;
    case Atom::Kind::Zero:
      return value == 0;
    case Atom::Kind::NonZero:
      return value != 0;
    case Atom::Kind::Divisible:
      return floor_mod(value, atom.modulus) == 0;
  }
  __builtin_unreachable();
}

}  // namespace

std::int64_t floor_mod(std::int64_t value, std::int64_t modulus) {
  const std::int64_t r = value % modulus;
  return r < 0 ? r + modulus : r;
}

Atom Atom::congruent(const LinearExpr& a, const LinearExpr& b, std::int64_t modulus) {
  if (modulus == 1) return {Kind::Zero, LinearExpr(0), 0};
  return {Kind::Divisible, b - a, modulus};
}

std::optional<Atom> Atom::negation() const {
  switch (kind) {
    case Kind::NonNegative:
      return Atom{Kind::NonNegative, -expr - 1, 0};
    case Kind::Zero:
      return Atom{Kind::NonZero, expr, 0};
    case Kind::NonZero:
      return Atom{Kind::Zero, expr, 0};
    case Kind::Divisible:
      return std::nullopt;
  }
  __builtin_unreachable();
}

std::optional<bool> Atom::constant_truth() const {
  if (!expr.is_constant()) return std::nullopt;
  return truth_of(*this, expr.constant());
}

std::optional<bool> Atom::holds(const LinearExpr::Assignment& value_of) const {
  const auto value = expr.evaluate(value_of);
  if (!value) return std::nullopt;
  return truth_of(*this, *value);
}

std::optional<std::int64_t> constant_remainder(const LinearExpr& e, std::int64_t modulus) {
  if (!e.valid()) return std::nullopt;
  for (const Term& t : e.terms()) {
    if (t.coefficient % modulus != 0) return std::nullopt;
  }
  return floor_mod(e.constant(), modulus);
}

}  // namespace bigfoot::logic
