// The five detectors on explored programs: each reports the data races of every trace, address by
// address; redcard, slimcard and bigfoot with alias facts and asymmetric proxies trace by trace. A
// failure prints its seed and the shrunk program. The long run is placement_campaign detectors.
#include <gtest/gtest.h>

#include <iostream>

#include "analysis/solver/standard_chain.h"
#include "frontends/bfj/parser.h"
#include "frontends/bfj/place_program.h"
#include "frontends/bfj/shadow_map.h"
#include "tests/placement/detector_campaign.h"

namespace bigfoot::bfj {
namespace {

using proxies::Relation;

TEST(Detectors, ReportTheRacesOfRandomPrograms) {
  auto chain = solver::make_chain(solver::Engines::Both);
  DetectorTotals totals;
  const auto failure = run_detector_campaign(0, 150, *chain, totals);
  EXPECT_FALSE(failure) << *failure;
  std::cout << totals.programs << " programs, " << totals.racy_programs << " with races, "
            << totals.executions << " executions; placements with field proxies "
            << totals.with_field_proxies << " (symmetric " << totals.with_symmetric_field_proxies
            << "), with array proxies " << totals.with_array_proxies << " (symmetric "
            << totals.with_symmetric_array_proxies << ")\n";
  // Programs with races and without, and enough proxies of each kind, or nothing is shown.
  EXPECT_GT(totals.racy_programs, totals.programs / 4);
  EXPECT_LT(totals.racy_programs, totals.programs);
  EXPECT_GT(totals.with_field_proxies, totals.programs / 4);
  EXPECT_GT(totals.with_symmetric_field_proxies, totals.programs / 10);
  EXPECT_GT(totals.with_array_proxies, totals.programs / 10);
  EXPECT_GT(totals.with_symmetric_array_proxies, totals.programs / 20);
}

// Found by the long run: i -> i mod 2 of an array that is walked in steps of 4 is right, and
// GoodChecks could not verify it.
TEST(Detectors, HaveProxiesThatAreVerifiedByWayOfOthers) {
  ParseResult parsed = parse(
      "shared a = new_array 12;"
      "thread { for (i = 1; i < 12; i = i + 4) { a[i] = 9; } for (j = 3; j < 12; j = j + 4) { a[j] "
      "= 2; } }");
  ASSERT_TRUE(parsed.ok()) << format(parsed.errors, "input");
  auto chain = solver::make_chain(solver::Engines::Both);
  for (const Configuration& c : configurations()) {
    const auto wrong =
        detector_complaint(parsed.program, c, *chain, campaign_explore_options(false));
    EXPECT_FALSE(wrong) << c.name << ": " << *wrong;
  }
}

// ---- What proxies are found ----

class Proxies : public testing::Test {
 protected:
  ShadowMap map(std::string_view text, ProxyOptions options) {
    ParseResult parsed = parse(text);
    EXPECT_TRUE(parsed.ok()) << format(parsed.errors, "input");
    auto chain = solver::make_chain(solver::Engines::Both);
    placement::Options placing;
    placing.detector =
        options.by_check ? placement::Detector::BigFoot : placement::Detector::RedCard;
    placing.address_precise = true;
    const PlacedProgram placed = place_program(parsed.program, *chain, placing);
    EXPECT_FALSE(placed.rejection);
    return compute_shadow_map(placed, options, *chain);
  }
  std::string array_proxy(std::string_view text, Relation relation) {
    const ShadowMap m = map(text, {.relation = relation, .arrays = true});
    return m.arrays().at(0) ? m.arrays().at(0)->text() : "none";
  }
  using Fields = std::map<proxies::Field, proxies::Field>;
};

TEST_F(Proxies, OfFieldsAccessedInTheSameSpan) {
  const char* together = "class C { f, g; m(o) { x = o.f; y = o.g; } }";
  EXPECT_EQ(map(together, {}).fields(), (Fields{{1, 0}}));
  // A release between the two ends the span.
  EXPECT_EQ(map("class C { f, g; m(o, l) { x = o.f; rel(l); y = o.g; } }", {}).fields(), Fields{});
  // f comes later, and no acquire between.
  EXPECT_EQ(map("class C { f, g; m(o) { y = o.g; x = o.f; } }", {}).fields(), (Fields{{1, 0}}));
  EXPECT_EQ(map("class C { f, g; m(o, l) { y = o.g; acq(l); x = o.f; } }", {}).fields(), Fields{});
  // A read does not stand for a write.
  EXPECT_EQ(map("class C { f, g; m(o) { x = o.f; o.g = 1; } }", {}).fields(), Fields{});
}

TEST_F(Proxies, InOneDirectionCountWithoutSymmetryOnly) {
  const char* text = "class C { f, g; m(o) { x = o.f; y = o.g; } n(o) { x = o.f; } }";
  EXPECT_EQ(map(text, {.relation = Relation::Any}).fields(), (Fields{{1, 0}}));
  EXPECT_EQ(map(text, {.relation = Relation::Symmetric}).fields(), Fields{});
  EXPECT_EQ(map(text, {.relation = Relation::Any, .by_check = true}).fields(), (Fields{{1, 0}}));
  EXPECT_EQ(map(text, {.relation = Relation::Symmetric, .by_check = true}).fields(), Fields{});
}

TEST_F(Proxies, OfArraysWalkedFromTheStart) {
  const char* text =
      "shared a = new_array 12;"
      "thread { for (i = 0; i < 12; i = i + 1) { x = a[i]; } }"
      "thread { for (i = 0; i < 5; i = i + 1) { x = a[i]; } }";
  EXPECT_EQ(array_proxy(text, Relation::Any), "i -> 0");
  EXPECT_EQ(array_proxy(text, Relation::Symmetric), "none");
  const char* whole =
      "shared a = new_array 12; thread { for (i = 0; i < 12; i = i + 1) { x = a[i]; } }";
  EXPECT_EQ(array_proxy(whole, Relation::Symmetric), "i -> 0");
}

TEST_F(Proxies, OfArraysWalkedInStrides) {
  const char* text =
      "shared a = new_array 12;"
      "thread { for (i = 1; i < 12; i = i + 4) { x = a[i]; } }"
      "thread { for (i = 2; i < 12; i = i + 4) { a[i] = 1; } }";
  EXPECT_EQ(array_proxy(text, Relation::Any), "i -> i mod 4");
  EXPECT_EQ(array_proxy(text, Relation::Symmetric), "i -> i mod 4");
}

TEST_F(Proxies, OfArraysUsedInChunks) {
  const char* text =
      "class C { m(a, i) { a[4 * i] = 0; a[4 * i + 1] = 0; a[4 * i + 2] = 0; a[4 * i + 3] = 0; } }"
      "shared a = new_array 12; shared o = new C; thread { o.m(a, 1); } thread { o.m(a, 2); }";
  EXPECT_EQ(array_proxy(text, Relation::Any), "i -> (i div 4) * 4");
  EXPECT_EQ(array_proxy(text, Relation::Symmetric), "i -> (i div 4) * 4");
}

TEST_F(Proxies, OfArraysAreApartBySite) {
  const char* text =
      "shared a = new_array 12;"
      "thread { b = new_array 12; for (i = 0; i < 12; i = i + 1) { x = a[i]; } y = b[9]; }";
  const ShadowMap m = map(text, {.relation = Relation::Any, .arrays = true});
  EXPECT_TRUE(m.arrays().at(0));
  EXPECT_FALSE(m.arrays().at(1));
  // What may be either is an access to both.
  const char* either =
      "shared a = new_array 12;"
      "thread { b = a; if (?) { b = new_array 12; }"
      "  for (i = 0; i < 12; i = i + 1) { x = a[i]; } y = b[9]; }";
  EXPECT_FALSE(map(either, {.relation = Relation::Any, .arrays = true}).arrays().at(0));
}

}  // namespace
}  // namespace bigfoot::bfj
