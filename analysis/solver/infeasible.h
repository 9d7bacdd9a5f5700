// Decides that a set of linear constraints has no integer solution.
//
// Equalities with a unit coefficient are solved and substituted, congruences become equalities with
// a fresh multiple, and what is left goes through Fourier-Motzkin elimination with each constraint
// tightened to integers. Complete for rationals; integers get the tightening only.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/logic/atom.h"

namespace bigfoot::solver {

// Steps left for one query; every derived constraint costs one.
struct Budget {
  std::int64_t steps;
  bool spend(std::int64_t cost = 1) { return (steps -= cost) >= 0; }
  bool exhausted() const { return steps < 0; }
};

// True only if no assignment satisfies all of `constraints`. False when there is one, when only the
// integers exclude it, or when the budget is spent.
bool infeasible(std::span<const logic::Atom> constraints, Budget& budget);

}  // namespace bigfoot::solver
