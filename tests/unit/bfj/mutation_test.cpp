// The tests can fail: for every rule there is a deliberately broken variant, and a program on which
// both judges catch it: the explorer finds an imprecise trace, GoodChecks rejects the placement.
// With the right rules both are content with the same program. The list is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "analysis/placement/mutation.h"
#include "analysis/solver/standard_chain.h"
#include "frontends/bfj/parser.h"
#include "frontends/bfj/place_program.h"
#include "tests/placement/campaign.h"
#include "tests/unit/bfj/proxy_mutation_test.h"

namespace bigfoot::bfj {
namespace {

using placement::Mutation;

// A read in one critical section, a check for it that must not wait for the next.
constexpr const char* kTwoSections =
    "class C { f; } shared o = new C; shared l1 = new C; shared l2 = new C;"
    "thread { acq(l1); x = o.f; rel(l1); acq(l2); y = o.f; rel(l2); }"
    "thread { acq(l2); o.f = 1; rel(l2); }";
// The same with the second section in a callee.
constexpr const char* kSectionInCallee =
    "class C { f; sync(l) { acq(l); rel(l); } }"
    "shared o = new C; shared l1 = new C; shared l2 = new C;"
    "thread { acq(l1); x = o.f; rel(l1); o.sync(l2); y = o.f; }"
    "thread { acq(l2); o.f = 1; rel(l2); }";
constexpr const char* kPendingAtAcquire =
    "class C { f; } shared o = new C; shared l = new C;"
    "thread { x = o.f; acq(l); rel(l); } thread { acq(l); o.f = 1; rel(l); }";
constexpr const char* kPendingAtCall =
    "class C { f; sync(l) { acq(l); rel(l); } } shared o = new C; shared l = new C;"
    "thread { x = o.f; o.sync(l); } thread { acq(l); o.f = 1; rel(l); }";
constexpr const char* kSpanEndsAtRelease =
    "class C { f; } shared o = new C; shared l = new C;"
    "thread { acq(l); x = o.f; rel(l); y = o.f; } thread { acq(l); o.f = 1; rel(l); }";
constexpr const char* kOneRead =
    "class C { f; } shared o = new C; thread { x = o.f; } thread { o.f = 1; check_write(o.f); }";
constexpr const char* kOneWrite =
    "class C { f; } shared o = new C; thread { o.f = 1; } thread { x = o.f; check_read(o.f); }";
constexpr const char* kWriteThenRead =
    "class C { f; } shared o = new C; shared l = new C;"
    "thread { acq(l); o.f = 1; rel(l); x = o.f; } thread { y = o.f; }";
constexpr const char* kReadThenWrite =
    "class C { f; } shared o = new C; thread { x = o.f; o.f = 1; } thread { y = o.f; }";
// The next iteration accesses a field of another object under the same name.
constexpr const char* kListWalk =
    "class C { f, next; } shared o1 = new C; shared o2 = new C; shared o3 = new C;"
    "thread { o1.next = o2; o2.next = o3; p = o1; i = 0;"
    "  loop { x = p.next; y = x.f; p = x; i = i + 1; if (i >= 2) break; } } thread { o2.f = 1; }";
constexpr const char* kOneArmReads =
    "class C { f; } shared o = new C;"
    "thread { if (?) { x = o.f; } else { skip; } } thread { o.f = 1; }";
// Accessed again in one arm only.
constexpr const char* kOneArmReadsAgain =
    "class C { f; } shared o = new C; shared l = new C;"
    "thread { acq(l); x = o.f; rel(l); if (?) { y = o.f; } else { skip; } }"
    "thread { acq(l); o.f = 1; rel(l); }";
// Something pending that the loop's body forgets: to be checked before it, and not after.
constexpr const char* kPendingAtLoop =
    "class C { g; m(o, l, n) { x = o.g; for (i = 0; i < n; i = i + 1) { rel(l); acq(l); } } }"
    "shared o1 = new C; shared o2 = new C; shared l = new C;"
    "thread { acq(l); o1.m(o2, l, 2); rel(l); } thread { o2.g = 1; check_write(o2.g); }";
// After the loop a[i] is read, but not after each of its iterations. The volatile write ends the
// span and, unlike an acquire, lets anticipated accesses through.
constexpr const char* kReadAfterLoop =
    "class C { volatile v; } shared o = new C; shared a = new_array 6;"
    "thread { i = 0; loop { if (i >= 2) break; x = a[i + 1]; o.v = 1; i = i + 1; } y = a[i]; }"
    "thread { a[1] = 1; }";
// x[0] and x[1] are elements of two arrays, and where the loop ends x is the second one.
constexpr const char* kAnotherArrayEachTime =
    "class C { p; } shared o = new C; shared a = new_array 4; shared b = new_array 4;"
    "thread { o.p = a; i = 0;"
    "  loop { if (i >= 2) break; x = o.p; t = x[i]; o.p = b; i = i + 1; } }"
    "thread { a[0] = 1; b[1] = 1; }";
constexpr const char* kSpinning =
    "class C { f, g; spin(o) { loop { x = o.f; } } } shared o = new C;"
    "thread { y = o.g; o.spin(o); } thread { o.f = 1; o.g = 2; }";
constexpr const char* kMayStop =
    "class C { f, g; stop(c) { if (c == 1) { halt; } } } shared o = new C;"
    "thread { y = o.g; o.stop(1); z = o.g; } thread { o.g = 2; }";
// More facts than fit (see judge).
constexpr const char* kThreeFields =
    "class C { f, g, h; } shared o = new C; shared p = new C; shared q = new C;"
    "thread { x = o.f; y = p.g; z = q.h; } thread { o.f = 1; }";
// Accessed before the branch, and again behind a release on either way: one span each.
constexpr const char* kReleaseOnAllWays =
    "class C { f; } shared o = new C; shared l = new C;"
    "thread { acq(l); x = o.f;"
    "  if (?) { rel(l); y = o.f; acq(l); } else { rel(l); z = o.f; acq(l); } rel(l); }"
    "thread { acq(l); o.f = 1; rel(l); }";
// One of the ways that meet has begun a new span, in which it reads without the lock.
constexpr const char* kNewSpanOnOneWay =
    "class C { f; } shared o = new C; shared l = new C; shared m = new C;"
    "thread { acq(l); x = o.f; if (?) { if (?) { rel(l); acq(m); rel(m); y = o.f; } } acq(m); "
    "rel(m); }"
    "thread { acq(l); o.f = 1; rel(l); }";
// One way checks the read, the other one the write that follows it.
constexpr const char* kOneWayWrites =
    "class C { f; } shared o = new C; shared l = new C;"
    "thread { x = o.f; if (?) { acq(l); rel(l); } else { o.f = 1; acq(l); rel(l); } }"
    "thread { y = o.f; }";
// Two elements with a gap.
constexpr const char* kGap =
    "shared a = new_array 6; thread { x = a[1]; x = a[5]; } thread { a[3] = 1; }";

// o.p is read again after it was changed: by a write under another name, in a callee, or by another
// thread after a release. Each time y is no longer there when its field is checked, so that x,
// taken for the same object, is checked instead.
constexpr const char* kChangedByWrite =
    "class C { p, f; m(o, q, b) { x = o.p; u = x.f; q.p = b; y = o.p; w = y.f; y = null; } }"
    "shared o = new C; shared c = new C; shared b = new C;"
    "thread { o.p = c; o.m(o, o, b); } thread { b.f = 1; check_write(b.f); }";
constexpr const char* kChangedByCallee =
    "class C { p, f; set(b) { this.p = b; }"
    "  m(o, b) { x = o.p; u = x.f; o.set(b); y = o.p; w = y.f; y = null; } }"
    "shared o = new C; shared c = new C; shared b = new C;"
    "thread { o.p = c; o.m(o, b); } thread { b.f = 1; check_write(b.f); }";
constexpr const char* kChangedAfterRelease =
    "class C { p, f; m(o, l) { x = o.p; u = x.f; rel(l); acq(l); y = o.p; w = y.f; y = null; } }"
    "shared o = new C; shared c = new C; shared b = new C; shared l = new C;"
    "thread { acq(l); o.p = c; o.m(o, l); rel(l); } thread { acq(l); o.p = b; rel(l); }"
    "thread { b.f = 1; check_write(b.f); }";

struct Case {
  Mutation mutation;
  const char* program;
};
constexpr Case kCases[] = {
    {Mutation::AcqForgetsChecks, kPendingAtAcquire},
    {Mutation::AcqKeepsAnticipated, kTwoSections},
    {Mutation::RelForgetsChecks, kTwoSections},
    {Mutation::RelKeepsHistory, kSpanEndsAtRelease},
    {Mutation::ReadForgetsAccess, kOneRead},
    {Mutation::WriteForgetsAccess, kOneWrite},
    {Mutation::WriteRecordedAsRead, kOneWrite},
    {Mutation::ReadAnticipatesWrite, kWriteThenRead},
    {Mutation::AssignKeepsAnticipated, kListWalk},
    {Mutation::IfForgetsChecks, kOneArmReads},
    {Mutation::IfMeetTakesUnion, kOneArmReads},
    {Mutation::IfAnticipatesOneBranch, kOneArmReadsAgain},
    {Mutation::LoopForgetsBackEdgeChecks, kListWalk},
    {Mutation::LoopForgetsEntryChecks, kPendingAtLoop},
    {Mutation::LoopTrustsConjectures, kPendingAtLoop},
    {Mutation::LoopTrustsAnticipated, kReadAfterLoop},
    {Mutation::LoopNamesBodyValues, kAnotherArrayEachTime},
    {Mutation::CallKillsNothing, kPendingAtCall},
    {Mutation::CallKeepsAnticipated, kSectionInCallee},
    {Mutation::StmtForgetsChecks, kOneRead},
    {Mutation::NotermTreatedAsTerminating, kSpinning},
    {Mutation::NoReturnTreatedAsReturning, kMayStop},
    {Mutation::BudgetForgetsChecks, kThreeFields},
    {Mutation::CommonPassesReleases, kReleaseOnAllWays},
    {Mutation::CommonIgnoresOtherWays, kNewSpanOnOneWay},
    {Mutation::CommonReadForWrite, kOneWayWrites},
    {Mutation::CoalesceTakesHull, kGap},
    {Mutation::AliasSurvivesWrites, kChangedByWrite},
    {Mutation::AliasSurvivesCalls, kChangedByCallee},
    {Mutation::AliasSurvivesReleases, kChangedAfterRelease},
    {Mutation::RedcardIgnoresRelease, kSpanEndsAtRelease},
    {Mutation::RedcardReadCoversWrite, kReadThenWrite},
};

const Configuration& configuration_for(Mutation m) {
  const bool redcard =
      m == Mutation::RedcardIgnoresRelease || m == Mutation::RedcardReadCoversWrite;
  const bool aliases = m == Mutation::AliasSurvivesWrites || m == Mutation::AliasSurvivesCalls ||
                       m == Mutation::AliasSurvivesReleases;
  const auto& all = configurations();
  return *std::find_if(all.begin(), all.end(), [&](const Configuration& c) {
    const bool is_redcard = c.options.detector == placement::Detector::RedCard;
    return c.options.address_precise != aliases && is_redcard == redcard;
  });
}

struct Verdicts {
  std::optional<std::string> explorer;     // what it found
  std::optional<std::string> good_checks;  // the rule that fails
};

Verdicts judge(const Program& program, Mutation m) {
  const Configuration& c = configuration_for(m);
  auto chain = solver::make_chain(solver::Engines::Both);
  placement::Options placing = c.options;
  if (m == Mutation::BudgetForgetsChecks) placing.max_facts = 2;
  placing.exact_sources = m == Mutation::JoinNamesOneBranch || m == Mutation::LoopNamesFirstRound;
  const PlacedProgram placed = place_program(program, *chain, placing);
  ExploreOptions options = campaign_explore_options(true);
  options.max_executions = 2000;
  options.precision = {c.precision};
  const auto failure = explore(placed.program, options).failure;
  Verdicts verdicts;
  if (failure) verdicts.explorer = failure->what;
  if (placed.rejection) verdicts.good_checks = placed.rejection->rule;
  return verdicts;
}

class Mutations : public testing::TestWithParam<Case> {
 protected:
  void TearDown() override { placement::activate_mutation(Mutation::None); }
};

TEST_P(Mutations, IsCaughtByTheExplorerAndByGoodChecks) {
  const auto& [mutation, text] = GetParam();
  ParseResult parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << format(parsed.errors, text);
  const Verdicts right = judge(parsed.program, mutation);
  EXPECT_FALSE(right.explorer) << *right.explorer;
  EXPECT_FALSE(right.good_checks) << *right.good_checks;
  placement::activate_mutation(mutation);
  const Verdicts wrong = judge(parsed.program, mutation);
  EXPECT_TRUE(wrong.explorer);
  EXPECT_TRUE(wrong.good_checks);
  std::printf("%-45s GoodChecks: %-10s explorer: %s\n",
              placement::kMutationNames[static_cast<std::size_t>(mutation)],
              wrong.good_checks.value_or("").c_str(),
              wrong.explorer.value_or("").substr(0, 60).c_str());
}

INSTANTIATE_TEST_SUITE_P(Rules, Mutations, testing::ValuesIn(kCases));

// What checks are named after is no matter of covering: the explorer alone can tell.
constexpr const char* kEitherBranch =
    "class C { f; } shared o = new C;"
    "thread { if (?) { o.f = 1; } else { o.f = 2; } } thread { x = o.f; }";
// At the first release it was the write ahead of the loop, at the second the one inside.
constexpr const char* kAheadOfLoop =
    "class C { f; } shared o = new C; shared l = new C;"
    "thread { acq(l); o.f = 0; i = 0;"
    "  loop { rel(l); acq(l); o.f = 1; i = i + 1; if (i >= 2) break; } rel(l); }";
constexpr Case kNameCases[] = {
    {Mutation::JoinNamesOneBranch, kEitherBranch},
    {Mutation::LoopNamesFirstRound, kAheadOfLoop},
};

class NameMutations : public Mutations {};

TEST_P(NameMutations, AreCaughtByTheExplorer) {
  const auto& [mutation, text] = GetParam();
  ParseResult parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << format(parsed.errors, text);
  const Verdicts right = judge(parsed.program, mutation);
  EXPECT_FALSE(right.explorer) << *right.explorer;
  placement::activate_mutation(mutation);
  const Verdicts wrong = judge(parsed.program, mutation);
  ASSERT_TRUE(wrong.explorer);
  EXPECT_NE(wrong.explorer->find("is named after"), std::string::npos) << *wrong.explorer;
  std::printf("%-45s explorer: %s\n", placement::kMutationNames[static_cast<std::size_t>(mutation)],
              wrong.explorer->substr(0, 60).c_str());
}

INSTANTIATE_TEST_SUITE_P(Names, NameMutations, testing::ValuesIn(kNameCases));

TEST(MutationList, IsComplete) {
  constexpr auto kMutations = static_cast<std::size_t>(Mutation::kCount) - 1;
  std::set<Mutation> covered = proxy_mutations_tested();
  for (const Case& c : kNameCases) covered.insert(c.mutation);
  for (const Case& c : kCases) covered.insert(c.mutation);
  EXPECT_EQ(covered.size(), kMutations);
}

}  // namespace
}  // namespace bigfoot::bfj
