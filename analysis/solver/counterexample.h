// Looks for an assignment that satisfies the facts of a query and violates its goal.
//
// Most queries of a placement are false (a[i] against a[j]), and a false query is the expensive
// kind for a complete solver. A handful of guided guesses refutes nearly all of them, and a guess
// that works is checked by evaluation, so it can not be wrong.
#pragma once

#include "analysis/logic/entailment.h"
#include "analysis/solver/infeasible.h"

namespace bigfoot::solver {

bool has_counterexample(const logic::Query& query, Budget& budget);

}  // namespace bigfoot::solver
