// What a plan says beyond where its checks are: who they stand for, how they are coalesced, which
// fields share a shadow; and that placing is bounded and deterministic.
#include <gtest/gtest.h>

#include <set>

#include "analysis/placement/proxies.h"
#include "analysis/solver/standard_chain.h"
#include "frontends/bfj/explorer.h"
#include "frontends/bfj/parser.h"
#include "frontends/bfj/place_program.h"
#include "frontends/bfj/printer.h"

namespace bigfoot::bfj {
namespace {

Program program(std::string_view text) {
  ParseResult r = parse(text);
  EXPECT_TRUE(r.ok()) << format(r.errors, "input");
  return std::move(r.program);
}

ir::Plan plan_of_first_method(std::string_view text) {
  auto chain = solver::make_chain(solver::Engines::Both);
  return place_program(program(text), *chain, {}).placement.functions[0].plan;
}

TEST(Placement, ACheckStandsForAccessesThatTouchIt) {
  // At the join a[4..6] comes from two different pairs of facts; a[0] has no part in it.
  const ir::Plan plan = plan_of_first_method(
      "class C { m(a, l) { x = a[0];"
      "  if (?) { a[4] = 1; a[5] = 1; } else { a[4] = 1; a[5] = 1; a[6] = 1; } acq(l); rel(l); } "
      "}");
  const ir::AccessId first{0};
  bool found = false;
  for (const ir::PlacedCheck& c : plan.checks) {
    if (c.check.ranges[0].begin != ir::LinearExpr(4)) continue;
    found = true;
    for (const ir::Covered& covered : c.stands_for) EXPECT_NE(covered.access, first);
    EXPECT_GE(c.stands_for.size(), 2u);
  }
  EXPECT_TRUE(found);
}

// Which accesses the checks are named after, in the order of the checks.
std::vector<std::pair<ir::AccessId, ir::Covered::Standing>> names(std::string_view text) {
  auto chain = solver::make_chain(solver::Engines::Both);
  placement::Options options;
  options.exact_sources = true;
  std::vector<std::pair<ir::AccessId, ir::Covered::Standing>> result;
  const auto placed = place_program(program(text), *chain, options).placement.functions[0];
  for (const ir::PlacedCheck& c : placed.plan.checks) {
    for (const ir::Covered& covered : c.stands_for) {
      if (covered.standing == ir::Covered::Standing::Also) continue;
      result.emplace_back(covered.access, covered.standing);
    }
  }
  return result;
}

using Names = std::vector<std::pair<ir::AccessId, ir::Covered::Standing>>;
constexpr auto kNamed = ir::Covered::Standing::Named;
constexpr auto kOneOf = ir::Covered::Standing::OneOf;

TEST(ExactSources, BranchesAreCheckedApartUnlessAnAccessIsCommonToThem) {
  const Names apart = names("class C { f; m(o) { if (?) { o.f = 1; } else { o.f = 2; } } }");
  EXPECT_EQ(apart, (Names{{ir::AccessId{0}, kNamed}, {ir::AccessId{1}, kNamed}}));
  const Names common = names("class C { f; m(o) { o.f = 0; if (?) { o.f = 1; } } }");
  EXPECT_EQ(common, (Names{{ir::AccessId{0}, kNamed}}));
  // A read before the branches names no write in them.
  const Names write =
      names("class C { f; m(o) { x = o.f; if (?) { o.f = 1; } else { o.f = 2; } } }");
  EXPECT_EQ(write, (Names{{ir::AccessId{1}, kNamed}, {ir::AccessId{2}, kNamed}}));
}

TEST(ExactSources, ALoopThatTakesEitherBranchHasOneCheckThatSaysSo) {
  const Names loop = names(
      "class C { m(a, n) { for (i = 0; i < n; i = i + 1) {"
      "  if (?) { a[i] = 1; } else { a[i] = 2; } } } }");
  EXPECT_EQ(loop, (Names{{ir::AccessId{0}, kOneOf}, {ir::AccessId{1}, kOneOf}}));
  // One that synchronises each time round gains nothing by it.
  const Names each = names(
      "class C { m(a, n, l) { for (i = 0; i < n; i = i + 1) {"
      "  if (?) { a[i] = 1; } else { a[i] = 2; } acq(l); rel(l); } } }");
  EXPECT_EQ(each, (Names{{ir::AccessId{0}, kNamed}, {ir::AccessId{1}, kNamed}}));
}

TEST(ExactSources, AnElementBesideALoopsRangeLeavesItOneCheck) {
  auto chain = solver::make_chain(solver::Engines::Both);
  placement::Options options;
  options.exact_sources = true;
  const auto placed = place_program(program("class C { m(a, n) { a[0] = 1;"
                                            "  for (i = 1; i < n; i = i + 1) { a[i] = 2; } } }"),
                                    *chain, options);
  std::set<ir::AccessId> named;
  for (const ir::PlacedCheck& c : placed.placement.functions[0].plan.checks) {
    // One inside the loop would begin at i.
    EXPECT_TRUE(c.check.ranges[0].begin.is_constant());
    for (const ir::Covered& covered : c.stands_for) {
      if (covered.standing == kNamed) named.insert(covered.access);
    }
  }
  EXPECT_EQ(named, (std::set{ir::AccessId{0}, ir::AccessId{1}}));
}

TEST(ExactSources, ACheckAheadOfALoopNamesWhatTheLastRoundAccessesToo) {
  // The loop may end at once, and then it is the write behind it.
  const Names in_and_behind =
      names("class C { f; m(o) { loop { if (?) break; x = o.f; } o.f = 1; } }");
  EXPECT_EQ(in_and_behind, (Names{{ir::AccessId{1}, kNamed}, {ir::AccessId{0}, kNamed}}));
  const auto first_rule = [](std::string_view text) {
    auto chain = solver::make_chain(solver::Engines::Both);
    placement::Options options;
    options.exact_sources = true;
    return place_program(program(text), *chain, options).placement.functions[0].plan.checks[0];
  };
  const auto inside =
      first_rule("class C { f; m(o) { loop { if (?) break; x = o.f; } y = o.f; } }");
  EXPECT_NE(inside.point.block, ir::kEntry);
  const auto ahead = first_rule("class C { f; m(o) { loop { x = o.f; if (?) break; } y = o.f; } }");
  EXPECT_EQ(ahead.point.block, ir::kEntry);
}

TEST(ExactSources, BeforeALoopOrInTheRoundBefore) {
  // The read's check in the second loop is for the first loop's read, or for the write of the
  // round before.
  auto chain = solver::make_chain(solver::Engines::Both);
  placement::Options options;
  options.exact_sources = true;
  options.address_precise = true;
  const auto placed =
      place_program(program("class C { f; } shared o = new C; shared l = new C;"
                            "thread { for (i = 3; i >= 0; i = i - 1) { x = o.f; }"
                            "  for (j = 3; j >= 0; j = j - 1) { acq(l); rel(l); o.f = 7; } }"),
                    *chain, options);
  const auto failure = explore(placed.program, {}).failure;
  EXPECT_FALSE(failure) << failure->what;
}

TEST(ExactSources, WhatALoopAccessesAfterARelease) {
  // Before the first release it was the access ahead of the loop, before later ones the one inside.
  const Names both = names(
      "class C { f; m(o, n, l) { o.f = 0; for (i = 0; i < n; i = i + 1) {"
      "  acq(l); rel(l); o.f = 1; } } }");
  for (const auto& [access, standing] : both) EXPECT_EQ(standing, kNamed);
  EXPECT_GE(both.size(), 2u);
}

// Where the checks stand: by rule.
std::multiset<std::string> rules(std::string_view text) {
  std::multiset<std::string> result;
  for (const ir::PlacedCheck& c : plan_of_first_method(text).checks) result.insert(c.rule);
  return result;
}
using Rules = std::multiset<std::string>;

TEST(CommonChecks, WhatAllWaysCheckIsCheckedBeforeTheyPart) {
  // Before the call on one way, at the join on the other: two checks for one that is made.
  EXPECT_EQ(rules("class C { f; m(o, l) { x = o.f; if (?) { acq(l); rel(l); } } }"),
            (Rules{"IF-ALL"}));
  // A way that accesses it again has the same check to make.
  EXPECT_EQ(rules("class C { f; m(o, l) { x = o.f;"
                  "  if (?) { acq(l); rel(l); } else { y = o.f; acq(l); rel(l); } } }"),
            (Rules{"IF-ALL"}));
  // From an inner branch to the outer one.
  EXPECT_EQ(rules("class C { f; m(o, l) { x = o.f;"
                  "  if (?) { if (?) { acq(l); rel(l); } } else { acq(l); rel(l); } } }"),
            (Rules{"IF-ALL"}));
  // Ways that meet again before some of them make it.
  EXPECT_EQ(rules("class C { f; m(o, l) { loop { x = o.f;"
                  "  if (?) { if (?) break; } else { if (?) break; } acq(l); rel(l); } } }"),
            (Rules{"IF-ALL"}));
}

TEST(CommonChecks, AWayThatNeedsAnotherOneOrNoneKeepsThemApart) {
  // A write's check answers for the read.
  EXPECT_EQ(rules("class C { f; m(o, l) { x = o.f;"
                  "  if (?) { acq(l); rel(l); } else { o.f = 1; acq(l); rel(l); } } }"),
            (Rules{"ACQ", "ACQ"}));
  // Both fields in one check on one of the ways.
  EXPECT_EQ(rules("class C { f, g; m(o, l) { x = o.f;"
                  "  if (?) { acq(l); rel(l); } else { y = o.g; acq(l); rel(l); } } }"),
            (Rules{"ACQ", "ACQ"}));
  // Accessed again in a new span on either way.
  EXPECT_EQ(rules("class C { f; m(o, l) { x = o.f;"
                  "  if (?) { rel(l); y = o.f; acq(l); } else { rel(l); z = o.f; acq(l); } } }"),
            (Rules{"ACQ", "ACQ"}));
  // Ways meet where another one comes from that has made its check, and is in a new span.
  const Rules meet = rules(
      "class C { f; m(o, l) { x = o.f; if (?) { if (?) { acq(l); rel(l); x = o.f; } }"
      "  else { x = o.f; } acq(l); rel(l); } }");
  EXPECT_EQ(meet.count("ACQ"), 2u);
}

TEST(CommonChecks, NamesWhatWasAccessedBeforeTheWaysPart) {
  const Names named = names(
      "class C { f; m(o, l) { x = o.f;"
      "  if (?) { y = o.f; acq(l); rel(l); } else { z = o.f; acq(l); rel(l); } } }");
  EXPECT_EQ(named, (Names{{ir::AccessId{0}, kNamed}}));
}

TEST(Coalesce, BlocksThatTouchAreOneCheckHoweverMany) {
  std::string text = "class C { m(a) { ";
  for (int i = 0; i < 20; ++i) text += "a[" + std::to_string(i) + "] = 1; ";
  const ir::Plan plan = plan_of_first_method(text + "a[30] = 1; a[31] = 1; } }");
  ASSERT_EQ(plan.checks.size(), 2u);
  EXPECT_EQ(plan.checks[0].check.ranges, std::vector{logic::block(0, 20)});
  EXPECT_EQ(plan.checks[0].stands_for.size(), 20u);
  EXPECT_EQ(plan.checks[1].check.ranges, std::vector{logic::block(30, 2)});
  EXPECT_EQ(plan.checks[1].stands_for.size(), 2u);
}

TEST(Placement, MoreThanAHundredThousandStatementsAreBounded) {
  std::string text = "class C { f, g; m(o, a) {\n";
  for (int i = 0; i < 50000; ++i) {
    text += "x = a[" + std::to_string(i) + "]; o.f = x;\n";
  }
  auto chain = solver::make_chain(solver::Engines::Affine);
  Lowered lowered = lower(program(text + "} }"));
  const auto placed = placement::place(lowered.program, *chain, {});
  // Every element is checked once; the field once per budgeted stretch at most.
  std::size_t elements = 0;
  for (const auto& c : placed.functions[0].plan.checks) {
    elements += c.check.space == ir::Space::Elements;
  }
  EXPECT_GE(elements, 1u);
  EXPECT_LE(placed.functions[0].plan.checks.size(), 51000u);
}

TEST(Placement, IsDeterministic) {
  const char* text =
      "class C { f, g; m(a, o, n, l) { for (i = 0; i < n; i = i + 1) { x = a[i]; o.f = x; if (?) {"
      " o.g = 1; } } acq(l); y = o.f; rel(l); } }";
  std::string first;
  for (int i = 0; i < 5; ++i) {
    auto chain = solver::make_chain(solver::Engines::Both);
    const std::string placed = print(place_program(program(text), *chain, {}).program);
    if (i == 0) first = placed;
    EXPECT_EQ(placed, first);
  }
}

// A check has one base and a constant step. What would need more keeps its check where the access
// is.
TEST(Placement, KeepsChecksThatNoSinglePathCanReplace) {
  auto chain = solver::make_chain(solver::Engines::Both);
  const auto placed = [&](const char* text) {
    return print(place_program(program(text), *chain, {}).program);
  };
  const std::string rows = placed(
      "class C { m(a, n, m) { for (i = 0; i < n; i = i + 1) { r = a[i];"
      "  for (j = 0; j < m; j = j + 1) { r[j] = 0; } } } }");
  EXPECT_NE(rows.find("check_write(r[0..m]);"), std::string::npos) << rows;
  EXPECT_NE(rows.find("check_read(a[0..n]);"), std::string::npos) << rows;
  const std::string stride =
      placed("class C { m(a, n, s) { for (i = 0; i < n; i = i + s) { x = a[i]; } } }");
  EXPECT_NE(stride.find("check_read(a[i']);"), std::string::npos) << stride;
  EXPECT_EQ(stride.find(".."), std::string::npos) << stride;
}

TEST(Proxies, FieldsAlwaysCheckedTogetherShareAShadow) {
  auto chain = solver::make_chain(solver::Engines::Both);
  const auto groups = [&](std::string_view text) {
    const PlacedProgram placed = place_program(program(text), *chain, {});
    std::vector<const ir::Plan*> plans;
    for (const auto& f : placed.placement.functions) plans.push_back(&f.plan);
    return placement::compute_field_proxies(plans).groups;
  };
  const auto together = groups("class P { x, y, z; m() { this.x = 1; this.y = 1; this.z = 1; } }");
  ASSERT_EQ(together.size(), 1u);
  EXPECT_EQ(together[0], (std::set<std::int64_t>{0, 1, 2}));
  const auto apart = groups(
      "class P { x, y, z; m() { this.x = 1; this.y = 1; this.z = 1; } n() { t = this.z; } }");
  ASSERT_EQ(apart.size(), 1u);
  EXPECT_EQ(apart[0], (std::set<std::int64_t>{0, 1}));
}

}  // namespace
}  // namespace bigfoot::bfj
