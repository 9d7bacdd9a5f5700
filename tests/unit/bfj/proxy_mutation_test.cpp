// The same for shadow proxies: a deliberately wrong rule, and a program on which both judges catch
// it. The explorer finds a trace on which the detector reports too little or too much, GoodChecks
// rejects the proxies. With the right rules both are content.
#include "tests/unit/bfj/proxy_mutation_test.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "analysis/solver/standard_chain.h"
#include "frontends/bfj/parser.h"
#include "frontends/bfj/shadow_map.h"
#include "tests/placement/campaign.h"
#include "tests/placement/runtime_detector.h"

namespace bigfoot::bfj {
namespace {

using placement::Mutation;
using proxies::Relation;

// f and g have nothing to do with each other.
constexpr const char* kApart =
    "class C { f, g; } shared o = new C; shared l = new C;"
    "thread { o.g = 1; } thread { x = o.g; acq(l); rel(l); y = o.f; }";
// f is only read where g is written.
constexpr const char* kReadWithWrite =
    "class C { f, g; } shared o = new C;"
    "thread { x = o.f; o.g = 1; } thread { y = o.f; z = o.g; }";
// f comes with g, but not g with f.
constexpr const char* kOneDirection =
    "class C { f, g; } shared o = new C; thread { x = o.f; } thread { o.f = 1; o.g = 1; }";
constexpr const char* kLoneElement =
    "shared a = new_array 12; thread { a[5] = 1; } thread { x = a[5]; }";
// a[0] is only read where a[1] is written.
constexpr const char* kElementReadWithWrite =
    "shared a = new_array 12; thread { x = a[0]; a[1] = 1; } thread { x = a[0]; y = a[1]; }";
// With alias facts z is what both arms have read, a value no variable holds.
constexpr const char* kNamelessArray =
    "class C { p; m(o) { if (?) { x = o.p; } else { y = o.p; } z = o.p; z[9] = 1; } }"
    "shared o = new C; shared a = new_array 12;"
    "thread { o.p = a; h = fork o.m(o); k = fork o.m(o); }";

struct Case {
  Mutation mutation;
  const char* program;
  const char* configuration;
};
constexpr Case kCases[] = {
    {Mutation::FieldProxyNotRefuted, kApart, "redcard, address-precise"},
    {Mutation::FieldProxyReadForWrite, kReadWithWrite, "redcard, trace-precise"},
    {Mutation::FieldProxyTakenForSymmetric, kOneDirection, "redcard, address-precise"},
    {Mutation::FieldsNotCheckedTogether, kApart, "bigfoot, address-precise"},
    {Mutation::ArrayProxyNotRefuted, kLoneElement, "redcard, address-precise"},
    {Mutation::ArrayProxyReadForWrite, kElementReadWithWrite, "redcard, trace-precise"},
    {Mutation::ArrayProxyIgnoresUnknownBases, kNamelessArray, "redcard, trace-precise"},
};

const Configuration& named(std::string_view name) {
  for (const Configuration& c : configurations()) {
    if (c.name == name) return c;
  }
  ADD_FAILURE() << "no configuration " << name;
  return configurations()[0];
}

struct Verdicts {
  std::optional<std::string> explorer, good_checks;
};

Verdicts judge(const Program& program, const Configuration& c) {
  auto chain = solver::make_chain(solver::Engines::Both);
  const bool redcard = c.options.detector == placement::Detector::RedCard;
  const bool precise = c.precision == Precision::Address;
  const PlacedProgram placed = place_program(program, *chain, c.options);
  EXPECT_FALSE(placed.rejection);
  const ShadowMap map =
      compute_shadow_map(placed,
                         {.relation = precise ? Relation::Symmetric : Relation::Any,
                          .arrays = redcard,
                          .by_check = !redcard},
                         *chain);
  RuntimeDetector detector(
      {"detector", RuntimeDetector::Looks::AtChecks, std::nullopt, map, precise});
  ExploreOptions options;
  options.precision = {c.precision};
  options.detectors.push_back(&detector);
  Verdicts verdicts;
  if (const auto failure = explore(placed.program, options).failure) {
    verdicts.explorer = failure->what;
  }
  verdicts.good_checks = reject_shadow_map(placed, map, *chain);
  return verdicts;
}

class ProxyMutations : public testing::TestWithParam<Case> {
 protected:
  void TearDown() override { placement::activate_mutation(Mutation::None); }
};

TEST_P(ProxyMutations, IsCaughtByTheExplorerAndByGoodChecks) {
  const auto& [mutation, text, configuration] = GetParam();
  ParseResult parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << format(parsed.errors, text);
  const Verdicts right = judge(parsed.program, named(configuration));
  EXPECT_FALSE(right.explorer) << *right.explorer;
  EXPECT_FALSE(right.good_checks) << *right.good_checks;
  placement::activate_mutation(mutation);
  const Verdicts wrong = judge(parsed.program, named(configuration));
  EXPECT_TRUE(wrong.explorer);
  EXPECT_TRUE(wrong.good_checks);
  std::printf("%-55s GoodChecks: %-35s explorer: %s\n",
              placement::kMutationNames[static_cast<std::size_t>(mutation)],
              wrong.good_checks.value_or("").c_str(), wrong.explorer.value_or("").c_str());
}

INSTANTIATE_TEST_SUITE_P(Rules, ProxyMutations, testing::ValuesIn(kCases));

}  // namespace

std::set<Mutation> proxy_mutations_tested() {
  std::set<Mutation> all;
  for (const Case& c : kCases) all.insert(c.mutation);
  return all;
}

}  // namespace bigfoot::bfj
