// Atomic facts over linear expressions: the boolean part `be` of a history.
#pragma once

#include <optional>

#include "analysis/logic/linear.h"

namespace bigfoot::logic {

struct Atom {
  enum class Kind : std::uint8_t {
    NonNegative,  // expr >= 0
    Zero,         // expr == 0
    NonZero,      // expr != 0
    Divisible,    // expr is a multiple of modulus
  };
  Kind kind = Kind::NonNegative;
  LinearExpr expr;
  std::int64_t modulus = 0;  // Divisible only; >= 2

  static Atom at_most(const LinearExpr& a, const LinearExpr& b) {
    return {Kind::NonNegative, b - a, 0};
  }
  static Atom less(const LinearExpr& a, const LinearExpr& b) {
    return {Kind::NonNegative, b - a - 1, 0};
  }
  static Atom equal(const LinearExpr& a, const LinearExpr& b) { return {Kind::Zero, b - a, 0}; }
  static Atom not_equal(const LinearExpr& a, const LinearExpr& b) {
    return {Kind::NonZero, b - a, 0};
  }
  // a and b differ by a multiple of `modulus`. REQUIRES: modulus >= 1; 1 is trivially true.
  static Atom congruent(const LinearExpr& a, const LinearExpr& b, std::int64_t modulus);

  // The complement, where the four kinds can express it (not for Divisible).
  std::optional<Atom> negation() const;
  // Truth when it does not depend on any symbol.
  std::optional<bool> constant_truth() const;
  // Truth under an assignment; nothing when evaluation overflows.
  std::optional<bool> holds(const LinearExpr::Assignment& value_of) const;
  Atom substitute(const LinearExpr::Replacement& replacement) const {
    return {kind, expr.substitute(replacement), modulus};
  }
  auto operator<=>(const Atom&) const = default;
};

// Remainder in 0 .. modulus-1, also for negative values.
std::int64_t floor_mod(std::int64_t value, std::int64_t modulus);
// The same for an expression, where it is the same for all values of its symbols.
std::optional<std::int64_t> constant_remainder(const LinearExpr& e, std::int64_t modulus);

}  // namespace bigfoot::logic
