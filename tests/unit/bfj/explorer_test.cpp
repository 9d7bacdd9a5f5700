#include "frontends/bfj/explorer.h"

#include <gtest/gtest.h>

#include "analysis/solver/standard_chain.h"
#include "frontends/bfj/parser.h"
#include "frontends/bfj/place_program.h"
#include "tests/placement/campaign.h"
#include "tests/placement/generator.h"

namespace bigfoot::bfj {
namespace {

Program program(std::string_view text) {
  ParseResult r = parse(text);
  EXPECT_TRUE(r.ok()) << format(r.errors, "input");
  return std::move(r.program);
}

// Races as sets of locations, judged without looking at checks.
ExploreReport races_of(std::string_view text) {
  ExploreOptions options;
  options.precision = {Precision::Trace};
  return explore(program(text), options);
}

TEST(Explorer, UnorderedWritesRaceAndLockedOnesDoNot) {
  EXPECT_GT(races_of("thread { o.f = 1; } thread { o.f = 2; }").racy_executions, 0u);
  EXPECT_EQ(races_of("thread { acq(l); o.f = 1; rel(l); } thread { acq(l); o.f = 2; rel(l); }")
                .racy_executions,
            0u);
  EXPECT_EQ(races_of("thread { x = o.f; } thread { x = o.f; }").racy_executions, 0u);
  EXPECT_EQ(races_of("thread { o.f = 1; } thread { o.g = 2; }").racy_executions, 0u);
}

TEST(Explorer, ForkJoinAndVolatilesOrder) {
  const char* forked =
      "class C { f; run() { this.f = 1; } } shared o = new C;"
      "thread { o.f = 0; h = fork o.run(); join(h); x = o.f; }";
  EXPECT_EQ(races_of(forked).racy_executions, 0u);
  const char* not_joined =
      "class C { f; run() { this.f = 1; } } shared o = new C;"
      "thread { h = fork o.run(); x = o.f; }";
  EXPECT_GT(races_of(not_joined).racy_executions, 0u);
  const char* published =
      "class C { f; volatile v; } shared o = new C;"
      "thread { o.f = 1; o.v = 1; } thread { r = o.v; if (r == 1) { x = o.f; } }";
  EXPECT_EQ(races_of(published).racy_executions, 0u);
}

TEST(Explorer, WaitLetsTheLockGo) {
  EXPECT_GT(races_of("thread { acq(l); o.f = 1; wait(l); rel(l); }"
                     "thread { acq(l); x = o.f; notify(l); rel(l); }")
                .executions,
            2u);
}

TEST(Explorer, JudgesChecksByTheDefinitions) {
  ExploreOptions options;
  const auto verdict = [&](std::string_view text) {
    const ExploreReport r = explore(program(text), options);
    return r.failure ? r.failure->what : "precise";
  };
  EXPECT_EQ(verdict("thread { x = o.f; check_read(o.f); }"), "precise");
  EXPECT_EQ(verdict("thread { check_read(o.f); x = o.f; }"), "precise");
  EXPECT_NE(verdict("thread { x = o.f; }"), "precise");
  EXPECT_NE(verdict("thread { check_read(o.f); }"), "precise");
  EXPECT_NE(verdict("thread { o.f = 1; check_read(o.f); }"), "precise");
  EXPECT_NE(verdict("thread { x = o.f; check_write(o.f); }"), "precise");
  EXPECT_EQ(verdict("thread { x = o.f; o.f = 1; check_write(o.f); }"), "precise");
  EXPECT_NE(verdict("thread { x = o.f; acq(l); check_read(o.f); rel(l); }"), "precise");
  EXPECT_NE(verdict("thread { acq(l); x = o.f; rel(l); check_read(o.f); }"), "precise");
  EXPECT_NE(verdict("thread { a[0] = 1; check_write(a[0..2]); } shared a = new_array 4;"),
            "precise");
}

TEST(Explorer, EndlessLoopsMustCheckWithinTheirGrace) {
  ExploreOptions options;
  options.max_steps = 200;
  options.slack = 100;
  EXPECT_FALSE(explore(program("thread { loop { x = o.f; check_read(o.f); } }"), options).failure);
  EXPECT_FALSE(explore(program("thread { check_read(o.f); loop { x = o.f; } }"), options).failure);
  EXPECT_TRUE(explore(program("thread { loop { x = o.f; } check_read(o.f); }"), options).failure);
}

TEST(Explorer, LoopsThatEndMayTakeLongerThanTheGrace) {
  ExploreOptions options;
  options.max_steps = 200;
  options.slack = 100;
  const char* text =
      "thread { x = o.f; for (i = 0; i < 500; i = i + 1) { y = i; } check_read(o.f); }";
  EXPECT_FALSE(explore(program(text), options).failure);
  options.patience = 0;
  EXPECT_TRUE(explore(program(text), options).failure);
}

// Steps are bounded, not only executions: what is left is tried at random, and said.
TEST(Explorer, AFewStepsAreARandomTry) {
  const Program p = program(
      "thread { o.f = 1; check_write(o.f); o.g = 1; check_write(o.g); }"
      "thread { o.f = 3; check_write(o.f); o.g = 3; check_write(o.g); }");
  ExploreOptions options;
  EXPECT_TRUE(explore(p, options).exhaustive);
  options.max_transitions = 6;
  options.random_executions = 7;
  const ExploreReport few = explore(p, options);
  EXPECT_FALSE(few.exhaustive);
  EXPECT_GE(few.executions, 7u);
  EXPECT_LE(few.executions, 7u + 6u);
}

TEST(Explorer, ReductionSeesTheSameRaces) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 160; ++seed) {
    const Program p = generate(seed, {});
    ExploreOptions options;
    options.precision = {Precision::Trace};
    options.max_executions = 1500;
    options.random_executions = 0;
    options.reduce = false;
    ExploreOptions reduced = options;
    reduced.reduce = true;
    // Without checks every racy trace is a failure; only the race sets matter here.
    options.stop_at_failure = reduced.stop_at_failure = false;
    const ExploreReport all = explore(p, options);
    if (!all.exhaustive) continue;
    const ExploreReport some = explore(p, reduced);
    EXPECT_TRUE(some.exhaustive);
    EXPECT_LE(some.executions, all.executions);
    EXPECT_EQ(some.race_sets, all.race_sets) << "seed " << seed;
    ++compared;
  }
  EXPECT_GT(compared, 15) << "too few programs were small enough to compare";
}

// The checks of several placements side by side: each is judged as if it were alone.
TEST(Explorer, JudgesPlacementsTogetherAsOneByOne) {
  auto chain = solver::make_chain(solver::Engines::Both);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const bool diverging = seed % 5 == 4;
    const Program p = generate(seed, {diverging});
    ExploreOptions options = campaign_explore_options(diverging);
    options.precision.clear();
    std::vector<placement::Options> placing;
    for (const Configuration& c : configurations()) {
      placing.push_back(c.options);
      options.precision.push_back(c.precision);
    }
    const ExploreReport together = explore(place_together(p, *chain, placing).program, options);
    for (std::size_t c = 0; c < placing.size(); ++c) {
      options.precision = {configurations()[c].precision};
      const ExploreReport alone = explore(place_program(p, *chain, placing[c]).program, options);
      EXPECT_EQ(alone.executions, together.executions) << "seed " << seed;
      EXPECT_EQ(alone.checks[0], together.checks[c]) << "seed " << seed;
      EXPECT_EQ(alone.race_sets, together.race_sets) << "seed " << seed;
      EXPECT_FALSE(alone.failure);
    }
    EXPECT_FALSE(together.failure);
  }
}

TEST(Explorer, NamesThePlacementThatIsWrong) {
  Program p = program("thread { x = o.f; check_read(o.f); check_read(o.f); }");
  const auto check = [&](std::size_t i) -> CheckStmt& {
    return std::get<CheckStmt>(p.threads[0].body->stmts[i]->node);
  };
  ExploreOptions options;
  options.precision = {Precision::Address, Precision::Address};
  const auto failure_of = [&] { return explore(p, options).failure; };
  ASSERT_TRUE(failure_of());
  EXPECT_EQ(failure_of()->placement, 1u) << "without a check";
  check(2).placement = 1;
  EXPECT_FALSE(failure_of());
  check(1).paths[0].is_write = true;
  ASSERT_TRUE(failure_of());
  EXPECT_EQ(failure_of()->placement, 0u) << "a write check of a read";
}

TEST(Explorer, RunTimeErrorsEndTheThreadAndAreNotJudged) {
  const ExploreReport r = explore(program("thread { x = null; y = x.f; }"), {});
  EXPECT_EQ(r.faulted_executions, r.executions);
  EXPECT_FALSE(r.failure);
}

}  // namespace
}  // namespace bigfoot::bfj
