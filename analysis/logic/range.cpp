#include "analysis/logic/range.h"

#include "analysis/logic/atom.h"

namespace bigfoot::logic {

std::optional<std::int64_t> Range::constant_length() const {
  if (!contiguous()) return std::nullopt;
  const LinearExpr length = end - begin;
  if (!length.is_constant()) return std::nullopt;
  return length.constant();
}

Range block(const LinearExpr& begin, std::int64_t count) {
  return {begin, begin + count, 1, 1};
}

Range make_range(const LinearExpr& begin, const LinearExpr& end, std::int64_t step,
                 std::int64_t width) {
  // Elements that touch or overlap leave no gap. The last element starts at end - step at the
  // latest, so the units reach end - step + width.
  if (step <= width) return {begin, end + (width - step), 1, 1};
  return {begin, end, step, width};
}

namespace {

// Every unit of `a` lies before every unit of `b`.
bool surely_before(const Range& a, const Range& b) {
  // The last element starts before a.end.
  const LinearExpr gap = b.begin - (a.end + (a.width - 1));
  return gap.is_constant() && gap.constant() >= 0;
}

// Two columns of one stride.
bool in_different_columns(const Range& a, const Range& b) {
  if (a.contiguous() || a.step != b.step) return false;
  const auto offset = constant_remainder(b.begin - a.begin, a.step);
  return offset && *offset >= a.width && *offset + b.width <= a.step;
}

}  // namespace

bool surely_disjoint(const Range& a, const Range& b) {
  return surely_before(a, b) || surely_before(b, a) || in_different_columns(a, b);
}

bool contains_unit(const Range& range, const LinearExpr::Assignment& value_of, std::int64_t unit) {
  const auto begin = range.begin.evaluate(value_of);
  const auto end = range.end.evaluate(value_of);
  if (!begin || !end || unit < *begin) return false;
  const std::int64_t offset = floor_mod(unit - *begin, range.step);
  return offset < range.width && unit - offset < *end;
}

}  // namespace bigfoot::logic
