#include "analysis/good_checks/iterations.h"

namespace bigfoot::good_checks {

using ir::BlockId;
using ir::LinearExpr;
using ir::Range;
using ir::SymbolId;

namespace {

Values first_iteration(const ir::Loop& loop) {
  Values values;
  for (const ir::InductionVariable& iv : loop.inductions) values.emplace_back(iv.phi, iv.initial);
  return values;
}

}  // namespace

LinearExpr::Replacement lookup(const Values& values) {
  return [&values](SymbolId s) -> const LinearExpr* {
    for (const auto& [symbol, value] : values) {
      if (symbol == s) return &value;
    }
    return nullptr;
  };
}

Values phi_values(const ir::Function& f, BlockId from, BlockId to) {
  Values values;
  for (const ir::Phi& phi : f.block(to).phis) {
    values.emplace_back(phi.symbol, incoming_value(f, phi, to, from));
  }
  return values;
}

Values next_iteration(const ir::Loop& loop, int direction) {
  Values values;
  for (const ir::InductionVariable& iv : loop.inductions) {
    values.emplace_back(iv.phi, LinearExpr(iv.phi).plus_scaled(iv.step, direction));
  }
  return values;
}

std::optional<Range> earlier_iterations(const ir::Loop& loop, const Range& r) {
  const Values later = next_iteration(loop, 1), first = first_iteration(loop);
  const LinearExpr shift = r.begin.substitute(lookup(later)) - r.begin;
  const LinearExpr end_shift = r.end.substitute(lookup(later)) - r.end;
  if (!shift.valid() || shift != end_shift) return std::nullopt;
  const LinearExpr start = r.begin.substitute(lookup(first));
  if (shift == r.end - r.begin && r.contiguous()) return Range{start, r.begin, 1, 1};
  const auto length = r.constant_length();
  if (!length || !shift.is_constant() || shift.constant() == 0) return std::nullopt;
  const std::int64_t d = shift.constant();
  if (d >= *length) return logic::make_range(start, r.begin, d, *length);
  if (-d == *length) return Range{r.begin + *length, start + *length, 1, 1};
  if (-d > *length) return Range{r.begin + -d, start + 1, -d, *length};
  return std::nullopt;
}

void collect(const LinearExpr& e, std::set<SymbolId>& symbols) {
  for (const auto& t : e.terms()) symbols.insert(t.symbol);
}

}  // namespace bigfoot::good_checks
