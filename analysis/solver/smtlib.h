// Queries as SMT-LIB 2 text: `unsat` means Proved. Any solver can then be asked for a second
// opinion.
#pragma once

#include <string>

#include "analysis/logic/entailment.h"

namespace bigfoot::solver {

// A complete script. Symbols are renamed in order of appearance, so that equal questions about
// different programs give equal text (the cache relies on this).
std::string to_smtlib(const logic::Query& query);

}  // namespace bigfoot::solver
