// Random programs, every detector, with and without alias facts: no address missed, no false alarm,
// GoodChecks accepts; and both engines, asked every query of the run, never contradict each other.
// A failure prints its seed and the shrunk program. The long run is placement_campaign.
#include <gtest/gtest.h>

#include "analysis/solver/chain.h"
#include "tests/placement/campaign.h"
#include "tests/placement/cross_check.h"

namespace bigfoot::bfj {
namespace {

constexpr std::uint64_t kPrograms = 1500;  // for each of the tests below

void programs_are_placed_precisely_and_the_engines_agree(std::uint64_t first_seed) {
  auto both = std::make_unique<solver::CrossCheck>();
  const solver::CrossCheck& compared = *both;
  std::vector<solver::Sequence::Stage> stages;
  stages.push_back({"affine and Z3", std::move(both)});
  solver::Chain chain(std::move(stages));
  Totals totals;
  const auto failure = run_campaign(first_seed, kPrograms, chain, totals);
  EXPECT_FALSE(failure) << *failure;
  // Programs with and without races, or half of the claim is not tested.
  EXPECT_GT(totals.racy_programs, totals.programs / 4);
  EXPECT_LT(totals.racy_programs, totals.programs);
  EXPECT_FALSE(compared.disagreement()) << *compared.disagreement();
  const solver::CrossCheck::Counts& counts = compared.counts();
  EXPECT_GT(counts.proved_by_affine, counts.queries / 4);
  std::cout << totals.programs << " programs, " << totals.racy_programs << " with races, "
            << totals.executions << " executions\n"
            << chain.statistics() << "of " << counts.queries << " queries affine proves "
            << counts.proved_by_affine << ", Z3 " << counts.proved_by_z3_alone << " more (and not "
            << counts.proved_by_affine_alone << " of affine's)\n";
}

// Two tests, so that two cores have something to do: it is the longest test that uses one.
TEST(RandomPrograms, FirstHalf) {
  programs_are_placed_precisely_and_the_engines_agree(0);
}

TEST(RandomPrograms, SecondHalf) {
  programs_are_placed_precisely_and_the_engines_agree(kPrograms);
}

}  // namespace
}  // namespace bigfoot::bfj
