// The one question the analyses ask: do these facts imply that goal?
//
// A goal is an atom, or a coverage: every unit of `target` lies in one of `sources`. Coverage is
// the set part of H |- p and H . A |- p; the caller has already selected the paths with the same
// base.
//
//   Proved    every integer assignment that satisfies the facts satisfies the goal
//   Refuted   some assignment satisfies the facts and violates the goal
//   Unknown   the engine cannot tell (incomplete, or its step budget is spent)
//
// Unknown must be treated like Refuted by whoever wants to drop a check. Refuted exists so that a
// chain of engines can stop early and so that engines can be compared with each other.
#pragma once

#include <span>
#include <variant>

#include "analysis/logic/atom.h"
#include "analysis/logic/range.h"

namespace bigfoot::logic {

enum class Verdict : std::uint8_t { Proved, Refuted, Unknown };

struct Coverage {
  Range target;
  std::span<const Range> sources;
};

struct Query {
  std::span<const Atom> facts;
  std::variant<Atom, Coverage> goal;
};

class Entailment {
 public:
  virtual ~Entailment() = default;
  // Deterministic: the same query gives the same verdict on every machine. Budgets count steps.
  virtual Verdict decide(const Query& query) = 0;

  bool proves(std::span<const Atom> facts, const Atom& goal) {
    return decide({facts, goal}) == Verdict::Proved;
  }
  bool covers(std::span<const Atom> facts, const Range& target, std::span<const Range> sources) {
    return decide({facts, Coverage{target, sources}}) == Verdict::Proved;
  }
};

}  // namespace bigfoot::logic
