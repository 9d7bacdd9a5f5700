// Strided ranges `begin..end:step` of elements of one width: which part of an object a path
// denotes.
//
// The set of units (bytes for machine code, fields or array elements for BFJ) is
//
//     { s + d : s = begin + i*step, i >= 0, s < end, 0 <= d < width }
//
// which is the papers' b..e:k with elements wider than one unit. Two shapes occur:
//
//   contiguous   step == 1, width == 1:   begin, begin+1, ..., end-1
//   strided      width < step:            width units at begin, begin+step, ... while before end
//
// make_range() brings every other description into one of them.
#pragma once

#include <optional>

#include "analysis/logic/linear.h"

namespace bigfoot::logic {

struct Range {
  LinearExpr begin;
  LinearExpr end;
  std::int64_t step = 1;
  std::int64_t width = 1;

  bool contiguous() const { return step == 1; }
  bool valid() const { return begin.valid() && end.valid(); }
  bool is_constant() const { return begin.is_constant() && end.is_constant(); }
  bool mentions(SymbolId symbol) const { return begin.mentions(symbol) || end.mentions(symbol); }
  Range substitute(const LinearExpr::Replacement& replacement) const {
    return {begin.substitute(replacement), end.substitute(replacement), step, width};
  }
  // A contiguous range of constant length, as a single access denotes.
  std::optional<std::int64_t> constant_length() const;
  auto operator<=>(const Range&) const = default;
};

// `count` units at `begin`.
Range block(const LinearExpr& begin, std::int64_t count);
// REQUIRES: step >= 1, width >= 1, and step divides end - begin when step <= width.
Range make_range(const LinearExpr& begin, const LinearExpr& end, std::int64_t step,
                 std::int64_t width);
// No unit is in both, whatever the symbols are worth; decided by looking at constants only, so
// false says nothing.
bool surely_disjoint(const Range& a, const Range& b);
// Is `unit` in the set, all bounds evaluated?
bool contains_unit(const Range& range, const LinearExpr::Assignment& value_of, std::int64_t unit);

}  // namespace bigfoot::logic
