// The tests can fail: for every rule there is a deliberately broken variant, and both judges catch
// it.
//
// For each mutation random programs are tried until the explorer has found an imprecise trace and,
// separately, GoodChecks has rejected a placement. The list is printed.
#include <gtest/gtest.h>

#include <cstdio>

#include "analysis/placement/mutation.h"
#include "analysis/solver/standard_chain.h"
#include "frontends/bfj/parser.h"
#include "frontends/bfj/place_program.h"
#include "tests/placement/campaign.h"
#include "tests/placement/generator.h"

namespace bigfoot::bfj {
namespace {

using placement::Mutation;

// Programs that need one rule each and that random generation reaches only rarely.
constexpr const char* kHandWritten[] = {
    // [LOOP] C_in: something pending that the loop body may forget.
    "class C { f, g; m(o, l, n) { x = o.g; for (i = 0; i < n; i = i + 1) { rel(l); acq(l); } } }"
    "shared o1 = new C; shared o2 = new C; shared l = new C;"
    "thread { acq(l); o1.m(o2, l, 2); rel(l); } thread { o2.g = 1; check_write(o2.g); }",
    "class C { f; } shared o = new C; shared l = new C;"
    "thread { acq(l); x = o.f; i = 0; loop { rel(l); acq(l); i = i + 1; if (i > 2) break; } "
    "rel(l); }"
    "thread { o.f = 1; }",
    // Anticipated through a loop head only on some iterations.
    "class C { f; } shared o = new C; shared l = new C; thread { acq(l); x = o.f; rel(l); i = 0;"
    "  while (i < 2) { if (i == 1) { y = o.f; } i = i + 1; } } thread { o.f = 1; }",
    // A range that must not be trusted: every second element.
    "shared a = new_array 12; thread { for (i = 0; i < 6; i = i + 1) { if (?) { a[i] = 1; } } }"
    "thread { x = a[3]; }",
    // Coalescing two elements with a gap.
    "shared a = new_array 12; thread { x = a[1]; x = a[5]; } thread { a[3] = 1; }",
    // A value read decides which object is accessed afterwards.
    "class C { f, next; } shared o = new C; shared p = new C; shared l = new C;"
    "thread { o.next = p; acq(l); x = o; y = x.f; rel(l); x = x.next; if (x != null) { z = x.f; } }"
    "thread { o.f = 1; }",
    // The next iteration accesses a field of another object under the same name.
    "class C { f, next; } shared o1 = new C; shared o2 = new C; shared o3 = new C;"
    "thread { o1.next = o2; o2.next = o3; p = o1; i = 0;"
    "  loop { x = p.next; y = x.f; p = x; i = i + 1; if (i >= 2) break; } } thread { o2.f = 1; }",
    // An endless loop holds back its check; so does a callee.
    "class C { f; spin(o) { loop { x = o.f; } } } shared o = new C; thread { y = o.g; o.spin(o); }"
    "thread { o.f = 1; o.g = 2; }",
    "class C { f, g; stop(c) { if (c == 1) { halt; } } } shared o = new C;"
    "thread { y = o.g; o.stop(1); z = o.g; } thread { o.g = 2; }",
};

std::vector<Configuration> configurations_for(Mutation m) {
  const bool redcard =
      m == Mutation::RedcardIgnoresRelease || m == Mutation::RedcardReadCoversWrite;
  std::vector<Configuration> result;
  for (const Configuration& c : configurations()) {
    const bool is_redcard = c.options.detector == placement::Detector::RedCard;
    if (c.options.address_precise && is_redcard == redcard) result.push_back(c);
  }
  return result;
}

// The explorer's verdict on a placement GoodChecks may have rejected.
bool explorer_catches(const PlacedProgram& placed, const Configuration& c, bool diverging) {
  ExploreOptions options = campaign_explore_options(diverging);
  options.precision = c.precision;
  return explore(placed.program, options).failure.has_value();
}

class Mutations : public testing::Test {
 protected:
  void TearDown() override { placement::activate_mutation(Mutation::None); }
};

TEST_F(Mutations, AreCaughtByTheExplorerAndByGoodChecks) {
  constexpr std::uint64_t kMaxSeeds = 4000;
  std::printf("%-48s %-22s %s\n", "mutation", "explorer", "GoodChecks");
  for (int m = 1; m < static_cast<int>(Mutation::kCount); ++m) {
    const auto mutation = static_cast<Mutation>(m);
    placement::activate_mutation(mutation);
    auto chain = solver::make_chain(solver::Engines::Both);
    std::string by_explorer, by_good_checks;
    // A judge has caught the mutation only if it is content with the same program placed correctly.
    const auto content_without = [&](const Program& program, const Configuration& c,
                                     bool diverging) {
      placement::activate_mutation(Mutation::None);
      const PlacedProgram placed = place_program(program, *chain, c.options);
      const bool content = !placed.rejection && !explorer_catches(placed, c, diverging);
      placement::activate_mutation(mutation);
      return content;
    };
    const auto attempt = [&](const Program& program, bool diverging, const std::string& what) {
      for (const Configuration& c : configurations_for(mutation)) {
        const PlacedProgram placed = place_program(program, *chain, c.options);
        const bool rejected = by_good_checks.empty() && placed.rejection;
        const bool imprecise = by_explorer.empty() && explorer_catches(placed, c, diverging);
        if (!(rejected || imprecise) || !content_without(program, c, diverging)) continue;
        if (rejected) by_good_checks = what + " " + placed.rejection->rule;
        if (imprecise) by_explorer = what;
      }
      return !by_explorer.empty() && !by_good_checks.empty();
    };
    bool done = false;
    int number = 0;
    for (const char* text : kHandWritten) {
      ParseResult parsed = parse(text);
      ASSERT_TRUE(parsed.ok()) << format(parsed.errors, text);
      ++number;
      if (!done) done = attempt(parsed.program, true, "program " + std::to_string(number));
    }
    for (std::uint64_t seed = 0; seed < kMaxSeeds && !done; ++seed) {
      const bool diverging = seed % 2 == 1;
      done = attempt(generate(seed, {diverging}), diverging, "seed " + std::to_string(seed));
    }
    std::printf("%-48s %-22s %s\n", placement::kMutationNames[static_cast<std::size_t>(m)],
                by_explorer.c_str(), by_good_checks.c_str());
    std::fflush(stdout);
    EXPECT_FALSE(by_explorer.empty()) << placement::kMutationNames[static_cast<std::size_t>(m)];
    EXPECT_FALSE(by_good_checks.empty()) << placement::kMutationNames[static_cast<std::size_t>(m)];
  }
}

}  // namespace
}  // namespace bigfoot::bfj
