// GoodChecks (Figure 10): accepts or rejects any placement of checks, whoever made it.
//
// Shares with the placement only the abstract program and the entailment interface. It does not
// replay the placer's H . A either. A context Pi of Figure 10 exists for a program exactly if
//
//   each check is legitimate   it follows an access to the same path with no release between, or
//                              precedes one with no acquire between;
//   each access is covered     by a check before it with no release between, or by a check after it
//                              with no acquire between, on every way the program can go.
//
// so that is what is computed: four must-analyses (accessed before, accessed later, checked before,
// checked later), each with its own loop invariants, guessed here. A plan may carry hints, paths
// worth trying; they only ever add candidates, which are verified like all others. Checks that
// precede their access ([CC-CHK] in the paper only looks back) are allowed, because LOOP-NOTERM and
// RedCard place such checks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/ir/plan.h"
#include "analysis/logic/entailment.h"

namespace bigfoot::good_checks {

struct Options {
  bool assume_termination = false;
};

struct Rejection {
  std::string
      rule;  // CC-CHK, CC-ACQ, CC-REL, CC-CALL, CC-LOOP, CC-STMT, CC-METHOD; ALIAS (alias_facts.h)
  ir::FunctionId function{};
  ir::Point point;  // where the rule fails
  std::string reason;
  std::optional<ir::AccessId> access;  // the access left uncovered
  std::optional<ir::Path> path;        // what is not covered, or must not be checked
};

// Nothing: every function's checks are good, and its specification holds. `plans` has one for each
// function.
std::optional<Rejection> verify(const ir::Program& program,
                                const std::vector<const ir::Plan*>& plans,
                                logic::Entailment& entailment, const Options& options);

// The first rejection of each function that has one, in the order of the program.
std::vector<Rejection> verify_each(const ir::Program& program,
                                   const std::vector<const ir::Plan*>& plans,
                                   logic::Entailment& entailment, const Options& options);

std::string format(const ir::Program& program, const Rejection& rejection);

}  // namespace bigfoot::good_checks
