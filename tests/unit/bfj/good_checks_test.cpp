// GoodChecks on checks somebody wrote by hand: what it accepts, what it rejects and by which rule.
#include <gtest/gtest.h>

#include <functional>

#include "analysis/solver/standard_chain.h"
#include "frontends/bfj/parser.h"
#include "frontends/bfj/place_program.h"

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

TEST(GoodChecks, AcceptsOneCheckForALoopThatGoesPieceByPiece) {
  // As many pieces as an unrolled checksum has.
  std::string body, gap;
  for (int i = 0; i < 16; ++i) {
    const std::string read = "x = a[16 * i + " + std::to_string(i) + "]; ";
    body += read;
    if (i != 9) gap += read;
  }
  const auto loop = [](const std::string& inside) {
    return "class C { m(a, n) { for (i = 0; i < n; i = i + 1) { " + inside +
           "} check_read(a[0..16 * n]); } }";
  };
  EXPECT_EQ(verdict(loop(body)), "accepted");
  EXPECT_EQ(verdict(loop(gap)), "CC-CHK");
}

TEST(GoodChecks, FindsTheAccessAmongManyThatMayBeTheSame) {
  std::string text = "class C { f; m(o, a, n) { ";
  for (int i = 0; i < 50; ++i) text += "k = o.f; x = a[k]; check_read(a[k]); ";
  text += "check_read(o.f); x = a[n]; y = a[n + 12]; check_read(a[n..n + 13:12]); } }";
  EXPECT_EQ(verdict(text), "accepted");
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

TEST(GoodChecks, AcceptsARangeOfElementsNoneOfWhichHasItsOwnCheck) {
  // Campaign seed 14509: every a[j] read is the a[i] written before, so the method ensures a range
  // for which the loop itself checks nothing.
  EXPECT_EQ(verdict_on_redcard("class C { m(a, i) { a[i] = 8;"
                               "  for (j = 2; j < 8; j = j + 2) { if (j != i) { halt; } t = a[j]; }"
                               "} }",
                               [](std::vector<ir::Plan>& plans) {
                                 EXPECT_FALSE(plans[0].specification.ensures_checked.empty());
                               }),
            "accepted");
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

TEST(GoodChecks, RejectsChecksThatNameValuesThatDoNotExist) {
  // Of no element, so that covering and legitimacy have nothing to say against it.
  const auto moved_to = [](const ir::Point& point) {
    return verdict_on_redcard(
        "class C { m(o) { if (?) { x = o.p; y = x[0]; } } }", [&](std::vector<ir::Plan>& plans) {
          auto& checks = plans[0].checks;
          const auto of_x = std::find_if(
              checks.begin(), checks.end(),
              [](const ir::PlacedCheck& c) { return c.check.space == ir::Space::Elements; });
          ASSERT_NE(of_x, checks.end());
          ir::PlacedCheck copy = *of_x;
          copy.check.ranges = {{3, 1, 1, 1}};
          copy.point = point;
          checks.push_back(copy);
        });
  };
  const ir::BlockId arm{1}, after{3};
  EXPECT_EQ(moved_to(ir::Point::before(arm, 1)), "accepted") << "after x = o.p";
  EXPECT_EQ(moved_to(ir::Point::before(arm, 0)), "CC-CHK") << "before it";
  EXPECT_EQ(moved_to(ir::Point::before(after, 0)), "CC-CHK") << "where the arms have joined";
}

// Facts about each of 1,500 elements, at each of 4,500 places: what is known must not be copied
// from place to place.
TEST(GoodChecks, JudgesLongBlocks) {
  std::string text = "class C { f; m(o, a, l) {";
  for (int i = 0; i < 1500; ++i) {
    text += "a[" + std::to_string(2 * i) + "] = 1; x = o.f; y = a[" + std::to_string(2 * i) + "];";
  }
  auto chain = solver::make_chain(solver::Engines::Both);
  placement::Options options;
  options.address_precise = true;
  options.detector = placement::Detector::RedCard;
  EXPECT_FALSE(place_program(program(text + "} }"), *chain, options).rejection);
}

}  // namespace
}  // namespace bigfoot::bfj
