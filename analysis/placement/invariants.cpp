#include "analysis/placement/invariants.h"

#include <algorithm>

namespace bigfoot::placement {
namespace {

using ir::Atom;
using ir::InductionVariable;
using ir::LinearExpr;
using ir::Loop;
using ir::Path;
using ir::Range;
using ir::SymbolId;

const InductionVariable* find_induction(const Loop& loop, SymbolId s) {
  for (const InductionVariable& iv : loop.inductions) {
    if (iv.phi == s) return &iv;
  }
  return nullptr;
}

LinearExpr with_inductions(const Loop& loop, const LinearExpr& e,
                           LinearExpr (*value)(const InductionVariable&)) {
  std::vector<std::pair<SymbolId, LinearExpr>> values;
  for (const auto& t : e.terms()) {
    if (const auto* iv = find_induction(loop, t.symbol)) values.emplace_back(t.symbol, value(*iv));
  }
  return e.substitute([&](SymbolId s) -> const LinearExpr* {
    for (const auto& [symbol, v] : values) {
      if (symbol == s) return &v;
    }
    return nullptr;
  });
}

LinearExpr at_first(const Loop& loop, const LinearExpr& e) {
  return with_inductions(loop, e, [](const InductionVariable& iv) { return iv.initial; });
}
LinearExpr one_later(const Loop& loop, const LinearExpr& e) {
  return with_inductions(loop, e,
                         [](const InductionVariable& iv) { return LinearExpr(iv.phi) + iv.step; });
}
LinearExpr one_earlier(const Loop& loop, const LinearExpr& e) {
  return with_inductions(loop, e,
                         [](const InductionVariable& iv) { return LinearExpr(iv.phi) - iv.step; });
}

// How far both bounds of a range move per iteration, when they move together.
std::optional<LinearExpr> shift(const Loop& loop, const Range& r) {
  const LinearExpr d = one_later(loop, r.begin) - r.begin;
  if (!d.valid() || one_later(loop, r.end) - r.end != d) return std::nullopt;
  if (d.is_constant() && d.constant() == 0) return std::nullopt;
  return d;
}

}  // namespace

std::vector<Atom> boolean_conjectures(const Reasoner& reasoner, const Loop& loop,
                                      const std::vector<Atom>& on_back_edges) {
  constexpr std::size_t kMaxPairs = 4;
  std::vector<Atom> atoms;
  const InductionVariable* previous = nullptr;
  std::size_t pairs = 0;
  for (const InductionVariable& iv : loop.inductions) {
    const LinearExpr phi(iv.phi);
    if (!iv.step.is_constant()) {
      // Rows of a matrix: upwards, if they are not of negative length.
      atoms.push_back(Atom::at_most(iv.initial, phi));
      continue;
    }
    const std::int64_t step = iv.step.constant();
    atoms.push_back(step > 0 ? Atom::at_most(iv.initial, phi) : Atom::at_most(phi, iv.initial));
    const std::int64_t stride = step > 0 ? step : -step;
    if (stride > 1) atoms.push_back(Atom::congruent(iv.initial, phi, stride));
    if (previous != nullptr && pairs++ < kMaxPairs) {
      // Both have made the same number of steps.
      atoms.push_back(Atom::equal((phi - iv.initial) * previous->step.constant(),
                                  (LinearExpr(previous->phi) - previous->initial) * step));
    }
    previous = &iv;
  }
  for (const Atom& a : on_back_edges) {
    Atom moved = a;
    moved.expr = one_earlier(loop, a.expr);
    const bool about_induction =
        std::any_of(a.expr.terms().begin(), a.expr.terms().end(),
                    [&](const auto& t) { return find_induction(loop, t.symbol) != nullptr; });
    if (about_induction && reasoner.cfg().available_at_entry(moved.expr, loop.header)) {
      atoms.push_back(std::move(moved));
    }
  }
  return atoms;
}

std::optional<Path> accessed_before(const Loop& loop, const Path& path) {
  const Range& r = path.range;
  const auto d = shift(loop, r);
  if (!d) return std::nullopt;
  const LinearExpr first = at_first(loop, r.begin);
  Path result = path;
  if (r.contiguous() && r.begin + *d == r.end) {
    result.range = {first, r.begin, 1, 1};
    return result;
  }
  const auto length = r.constant_length();
  if (!length || !d->is_constant()) return std::nullopt;
  const std::int64_t move = d->constant();
  if (move > 0) {
    // Of windows that overlap, the part that no later one reaches; the rest comes again.
    result.range = move < *length ? Range{first, r.begin, 1, 1}
                                  : logic::make_range(first, r.begin, move, *length);
  } else {
    result.range = -move <= *length ? Range{r.end, first + *length, 1, 1}
                                    : Range{r.begin - move, first + 1, -move, *length};
  }
  return result;
}

std::vector<Path> accessed_from_here_on(const Loop& loop, const Path& path,
                                        const std::vector<Atom>& stay) {
  const Range& r = path.range;
  const auto d = shift(loop, r);
  const auto length = r.constant_length();
  if (!d || !length || !d->is_constant()) return {};
  const std::int64_t move = d->constant();
  std::vector<Path> results;
  for (const Atom& a : stay) {
    if (a.kind != Atom::Kind::NonNegative) continue;
    for (const InductionVariable& iv : loop.inductions) {
      const std::int64_t c = a.expr.coefficient_of(iv.phi);
      if ((c != 1 && c != -1) || !iv.step.is_constant() || (c > 0) == (iv.step.constant() > 0)) {
        continue;
      }
      // c*i + rest >= 0 fails first at i = -c * (rest + 1): the bound i runs up (or down) to. A
      // test at the end of the body speaks of this iteration's value, one step before.
      const LinearExpr rest = a.expr.plus_scaled(LinearExpr(iv.phi), -c);
      const LinearExpr bound = (rest + 1) * -c;
      for (const LinearExpr& end : {bound, bound + iv.step}) {
        const LinearExpr begin_at_end =
            r.begin.plus_scaled(LinearExpr(iv.phi), -r.begin.coefficient_of(iv.phi))
                .plus_scaled(end, r.begin.coefficient_of(iv.phi));
        Path result = path;
        if (move >= *length) {
          result.range = logic::make_range(r.begin, begin_at_end, move, *length);
        } else if (move > 0) {
          result.range = {r.begin, begin_at_end - move + *length, 1, 1};
        } else if (-move <= *length) {
          result.range = {begin_at_end - move, r.begin + *length, 1, 1};
        } else {
          continue;
        }
        if (result.range.valid()) results.push_back(std::move(result));
      }
    }
  }
  return results;
}

}  // namespace bigfoot::placement
