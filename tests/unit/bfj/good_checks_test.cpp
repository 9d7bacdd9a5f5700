// GoodChecks on checks somebody wrote by hand: what it accepts, what it rejects and by which rule.
#include <gtest/gtest.h>

#include "analysis/placement/proxies.h"
#include "analysis/solver/standard_chain.h"
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

// "accepted", or the rule that fails.
std::string verdict(std::string_view text) {
  auto chain = solver::make_chain(solver::Engines::Both);
  const auto rejection = reject_written_checks(program(text), *chain, {});
  return rejection ? rejection->substr(0, rejection->find(' ')) : "accepted";
}

TEST(GoodChecks, AcceptsFigure3AndAnyOtherPrecisePlacement) {
  EXPECT_EQ(verdict("thread { acq(l); x = b.f; rel(l); y = b.f; check_read(b.f); acq(l);"
                    "         z = b.f; rel(l); }"),
            "accepted");
  EXPECT_EQ(verdict("thread { check_read(b.f); x = b.f; }"), "accepted");
  EXPECT_EQ(verdict("thread { b.f = 1; check_write(b.f); x = b.f; }"), "accepted");
}

TEST(GoodChecks, AcceptsOneCheckForALoop) {
  EXPECT_EQ(verdict("class C { m(a, n) { for (i = 0; i < n; i = i + 1) { a[i] = 0; }"
                    "                     check_write(a[0..n]); } }"),
            "accepted");
  EXPECT_EQ(verdict("class C { m(a, n) { for (i = 0; i < n; i = i + 2) { a[i] = 0; }"
                    "                     check_write(a[0..n:2]); } }"),
            "accepted");
}

TEST(GoodChecks, RejectsChecksOfWhatWasNotAccessed) {
  EXPECT_EQ(verdict("thread { x = b.f; check_read(b.f/g); }"), "CC-CHK");
  EXPECT_EQ(verdict("thread { x = b.f; check_write(b.f); }"), "CC-CHK");
  EXPECT_EQ(verdict("thread { acq(l); x = b.f; check_read(b.f); rel(l); check_read(b.f); }"),
            "CC-CHK");
  EXPECT_EQ(verdict("class C { m(a, n) { for (i = 0; i < n; i = i + 2) { a[i] = 0; }"
                    "                     check_write(a[0..n]); } }"),
            "CC-CHK");
}

TEST(GoodChecks, RejectsAccessesLeftUncovered) {
  EXPECT_EQ(verdict("thread { x = b.f; }"), "CC-STMT");
  EXPECT_EQ(verdict("thread { b.f = 1; check_read(b.f); }"), "CC-STMT");
  EXPECT_EQ(verdict("thread { x = b.f; acq(l); check_read(b.f); rel(l); }"), "CC-ACQ");
  EXPECT_EQ(verdict("class C { f; sync() { acq(this); rel(this); } }"
                    "thread { x = b.f; b.sync(); check_read(b.f); }"),
            "CC-CALL");
  EXPECT_EQ(verdict("thread { if (?) { x = b.f; } else { skip; } }"), "CC-STMT");
}

TEST(GoodChecks, RejectsChecksBehindLoopsAndCallsThatNeedNotEnd) {
  EXPECT_EQ(verdict("thread { loop { x = b.f; if (?) break; } check_read(b.f); }"), "CC-LOOP");
  EXPECT_EQ(verdict("thread { check_read(b.f); loop { x = b.f; if (?) break; } }"), "accepted");
  EXPECT_EQ(verdict("class C { f; stop() { halt; } }"
                    "thread { x = b.f; b.stop(); check_read(b.f); }"),
            "CC-CALL");
}

// The rule that fails when `tamper` has changed redcard's plans (by function).
std::string verdict_on_redcard(std::string_view text,
                               const std::function<void(std::vector<ir::Plan>&)>& tamper) {
  auto chain = solver::make_chain(solver::Engines::Both);
  placement::Options options;
  options.detector = placement::Detector::RedCard;
  const PlacedProgram placed = place_program(program(text), *chain, options);
  std::vector<ir::Plan> plans;
  for (const auto& f : placed.placement.functions) plans.push_back(f.plan);
  tamper(plans);
  std::vector<const ir::Plan*> judged;
  for (const ir::Plan& p : plans) judged.push_back(&p);
  const auto rejection = good_checks::verify(placed.analysed, judged, *chain, {});
  return rejection ? rejection->rule : "accepted";
}

TEST(GoodChecks, SpecificationsAreVerifiedNotBelieved) {
  // get requires this.f and so checks nothing; set ensures this.f, which its caller relies on.
  const char* text =
      "class C { f; get() { x = this.f; return x; } set(v) { this.f = v; } }"
      "thread { c = new C; c.set(1); y = c.get(); }";
  const auto unchanged = [](std::vector<ir::Plan>&) {};
  EXPECT_EQ(verdict_on_redcard(text, unchanged), "accepted");
  EXPECT_EQ(verdict_on_redcard(text,
                               [](std::vector<ir::Plan>& plans) {
                                 ASSERT_FALSE(plans[0].specification.requires_checked.empty());
                                 plans[0].specification.requires_checked.clear();
                               }),
            "CC-STMT")
      << "an access nobody checks";
  EXPECT_EQ(verdict_on_redcard(text,
                               [](std::vector<ir::Plan>& plans) {
                                 ASSERT_FALSE(plans[1].specification.ensures_checked.empty());
                                 plans[1].specification.ensures_checked.clear();
                               }),
            "CC-CALL")
      << "the caller of get cannot know that this.f was checked";
  EXPECT_EQ(verdict_on_redcard(text, [](std::vector<ir::Plan>& plans) { plans[1].checks.clear(); }),
            "CC-STMT");
  EXPECT_EQ(verdict_on_redcard("class C { f; run() { x = this.f; } }"
                               "thread { c = new C; c.f = 1; h = fork c.run(); join(h); }",
                               [](std::vector<ir::Plan>& plans) {
                                 const auto& check = plans[0].checks.at(0).check;
                                 plans[0].specification.requires_checked.push_back(
                                     {check.kind, {check.base, check.space, check.ranges[0]}});
                               }),
            "CC-METHOD")
      << "a thread starts with nothing checked";
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
