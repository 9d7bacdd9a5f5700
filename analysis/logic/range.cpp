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

bool contains_unit(const Range& range, const LinearExpr::Assignment& value_of, std::int64_t unit) {
  const auto begin = range.begin.evaluate(value_of);
  const auto end = range.end.evaluate(value_of);
  if (!begin || !end || unit < *begin) return false;
  const std::int64_t offset = floor_mod(unit - *begin, range.step);
  return offset < range.width && unit - offset < *end;
}

}  // namespace bigfoot::logic
