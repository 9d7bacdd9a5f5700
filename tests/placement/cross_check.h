// Both engines on every query, as one engine: for runs that compare them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/solver/affine.h"
#include "analysis/solver/smtlib.h"
#include "analysis/solver/z3/z3_engine.h"

namespace bigfoot::solver {

class CrossCheck final : public logic::Entailment {
 public:
  struct Counts {
    std::uint64_t queries = 0;
    std::uint64_t proved_by_affine = 0;
    std::uint64_t proved_by_z3_alone = 0;  // what Z3 adds
    std::uint64_t proved_by_affine_alone = 0;
  };
  const Counts& counts() const { return counts_; }
  // The first query that one engine proves and the other refutes, as SMT-LIB.
  const std::optional<std::string>& disagreement() const { return disagreement_; }

  logic::Verdict decide(const logic::Query& query) override {
    using logic::Verdict;
    const Verdict a = affine_.decide(query);
    const Verdict z = z3_.decide(query);
    ++counts_.queries;
    counts_.proved_by_affine += a == Verdict::Proved;
    counts_.proved_by_z3_alone += z == Verdict::Proved && a != Verdict::Proved;
    counts_.proved_by_affine_alone += a == Verdict::Proved && z != Verdict::Proved;
    const bool disagree = a != Verdict::Unknown && z != Verdict::Unknown && a != z;
    if (disagree && !disagreement_) disagreement_ = to_smtlib(query);
    return a != Verdict::Unknown ? a : z;
  }

 private:
  AffineEngine affine_;
  Z3Engine z3_;
  Counts counts_;
  std::optional<std::string> disagreement_;
};

}  // namespace bigfoot::solver
