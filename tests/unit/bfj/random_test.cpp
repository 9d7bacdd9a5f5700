// Random programs, every detector, with and without alias facts: no address missed, no false alarm,
// GoodChecks accepts. A failure prints its seed and the shrunk program. The long run is
// placement_campaign.
#include <gtest/gtest.h>

#include "analysis/solver/affine.h"
#include "analysis/solver/smtlib.h"
#include "analysis/solver/standard_chain.h"
#include "analysis/solver/z3/z3_engine.h"
#include "tests/placement/campaign.h"

namespace bigfoot::bfj {
namespace {

constexpr std::uint64_t kFirstSeed = 0;
constexpr std::uint64_t kPrograms = 3000;
// Z3 takes about a millisecond per query, so the comparison has fewer programs.
constexpr std::uint64_t kComparedPrograms = 120;

TEST(RandomPrograms, ArePlacedPrecisely) {
  auto chain = solver::make_chain(solver::Engines::Both);
  Totals totals;
  const auto failure = run_campaign(kFirstSeed, kPrograms, *chain, totals);
  EXPECT_FALSE(failure) << *failure;
  // Programs with and without races, or half of the claim is not tested.
  EXPECT_GT(totals.racy_programs, totals.programs / 4);
  EXPECT_LT(totals.racy_programs, totals.programs);
  std::cout << totals.programs << " programs, " << totals.racy_programs << " with races, "
            << totals.executions << " executions\n"
            << chain->statistics();
}

TEST(RandomPrograms, AffineAndZ3AgreeOnEveryQuery) {
  solver::AffineEngine affine;
  solver::Z3Engine z3;
  std::uint64_t compared = 0, z3_only = 0, affine_only = 0;
  auto chain =
      solver::make_chain(solver::Engines::Affine, [&](const logic::Query& q, logic::Verdict a) {
        const logic::Verdict z = z3.decide(q);
        const auto proved = logic::Verdict::Proved, refuted = logic::Verdict::Refuted;
        ++compared;
        z3_only += z == proved && a != proved;
        affine_only += a == proved && z != proved;
        EXPECT_FALSE((a == proved && z == refuted) || (a == refuted && z == proved))
            << solver::to_smtlib(q);
      });
  Totals totals;
  const auto failure = run_campaign(kFirstSeed, kComparedPrograms, *chain, totals);
  EXPECT_FALSE(failure) << *failure;
  EXPECT_GT(compared, 1000u);
  std::cout << compared << " queries put to both engines: " << z3_only << " proved by Z3 alone, "
            << affine_only << " by affine alone\n";
}

}  // namespace
}  // namespace bigfoot::bfj
