// One suite for every engine. `Proved` and `Refuted` are judged by brute force over small integers,
// so an engine can fail here only by being wrong; how much it must be able to prove is listed
// apart.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <random>

#include "analysis/solver/affine.h"
#include "analysis/solver/chain.h"
#include "analysis/solver/smtlib.h"
#include "analysis/solver/standard_chain.h"
#include "analysis/solver/z3/z3_engine.h"

namespace bigfoot::solver {
namespace {

using logic::Atom;
using logic::Coverage;
using logic::LinearExpr;
using logic::Query;
using logic::Range;
using logic::SymbolId;
using logic::Verdict;

constexpr SymbolId kI{0}, kJ{1}, kN{2};
const LinearExpr i(kI), j(kJ), n(kN);

// ---- What every engine must prove ----

struct Case {
  const char* name;
  std::vector<Atom> facts;
  std::function<Verdict(logic::Entailment&, std::span<const Atom>)> ask;
};

std::function<Verdict(logic::Entailment&, std::span<const Atom>)> atom(Atom goal) {
  return [goal](logic::Entailment& e, std::span<const Atom> facts) {
    return e.decide({facts, goal});
  };
}
std::function<Verdict(logic::Entailment&, std::span<const Atom>)> cover(
    Range target, std::vector<Range> sources) {
  return [=](logic::Entailment& e, std::span<const Atom> facts) {
    return e.decide({facts, Coverage{target, sources}});
  };
}
Range range(const LinearExpr& b, const LinearExpr& e, std::int64_t step = 1) {
  return logic::make_range(b, e, step, 1);
}

std::vector<Case> provable() {
  return {
      {"transitivity", {Atom::less(i, j), Atom::less(j, n)}, atom(Atom::less(i + 1, n))},
      {"antisymmetry", {Atom::at_most(i, j), Atom::at_most(j, i)}, atom(Atom::equal(i, j))},
      {"exit of a counted loop",
       {Atom::less(i, n), Atom::at_most(n, i + 1)},
       atom(Atom::equal(i + 1, n))},
      {"equality chain", {Atom::equal(i, j + 2), Atom::equal(j, n)}, atom(Atom::equal(i, n + 2))},
      {"integer gap", {Atom::less(n * 2, i * 2)}, atom(Atom::at_most(n + 1, i))},
      {"contradiction", {Atom::less(i, j), Atom::less(j, i)}, atom(Atom::equal(n, 3))},
      {"disequality", {Atom::at_most(i, j), Atom::not_equal(i, j)}, atom(Atom::less(i, j))},
      {"congruence", {Atom::congruent(i, j, 4)}, atom(Atom::congruent(i + 4, j, 2))},
      {"empty range", {Atom::at_most(n, i)}, cover(range(i, n), {})},
      {"the loop invariant of Figure 6(b), entry", {Atom::equal(i, 0)}, cover(range(0, i), {})},
      {"the loop invariant of Figure 6(b), back edge",
       {},
       cover(range(0, i + 1), {range(0, i), logic::block(i, 1)})},
      {"a decreasing loop", {}, cover(range(i, n), {logic::block(i, 1), range(i + 1, n)})},
      {"a strided loop",
       {Atom::congruent(i, j, 3)},
       cover(range(j, i + 3, 3), {range(j, i, 3), logic::block(i, 1)})},
      {"section 3.4's example", {Atom::less(i, 10)}, cover(range(0, i), {range(0, 10)})},
      {"strided in contiguous", {}, cover(range(i, n, 2), {range(i, n)})},
      {"one element of a stride",
       {Atom::congruent(i, j, 2), Atom::at_most(j, i), Atom::less(i, n)},
       cover(logic::block(i, 1), {range(j, n, 2)})},
      {"renamed by equality", {Atom::equal(i, j)}, cover(logic::block(i, 1), {logic::block(j, 1)})},
      {"wide elements",
       {},
       cover(logic::make_range(i, i + 16, 8, 4), {logic::block(i, 4), logic::block(i + 8, 4)})},
      {"two fields of an array of structures, checked one by one",
       {},
       cover(logic::make_range(j, n, 8, 4),
             {logic::make_range(j, n, 8, 2), logic::make_range(j + 2, n + 2, 8, 2)})},
      {"two fields, checked in parts that overlap",
       {},
       cover(logic::make_range(j, n, 8, 6),
             {logic::make_range(j, n, 8, 4), logic::make_range(j + 2, n + 2, 8, 4)})},
      {"two fields, one of them with its last element apart",
       {Atom::congruent(i, j, 8)},
       cover(logic::make_range(j, i + 8, 8, 4),
             {logic::make_range(j, i + 8, 8, 2), logic::make_range(j + 2, i + 2, 8, 2),
              logic::block(i + 2, 2)})},
      {"two wide elements, checked in pieces",
       {},
       cover(logic::make_range(48, 120, 56, 16),
             {logic::block(48, 8), logic::block(56, 4), logic::block(60, 4), logic::block(104, 8),
              logic::block(112, 8)})},
      {"columns without a gap are a contiguous range",
       {Atom::congruent(j, n, 2)},
       cover(range(j, n), {range(j, n, 2), range(j + 1, n, 2)})},
      {"one structure of an array whose fields were checked one by one",
       {Atom::at_most(0, i), Atom::less(i, n)},
       cover(logic::block(i * 8, 4),
             {logic::make_range(0, n * 8, 8, 2), logic::make_range(2, n * 8 + 2, 8, 2)})},
  };
}

// ---- Brute force ----

constexpr std::int64_t kLow = -3, kHigh = 4;

bool exists(const std::function<bool(const LinearExpr::Assignment&)>& predicate) {
  std::array<std::int64_t, 3> v{};
  const auto value_of = [&](SymbolId s) { return v[logic::index_of(s)]; };
  for (v[0] = kLow; v[0] <= kHigh; ++v[0]) {
    for (v[1] = kLow; v[1] <= kHigh; ++v[1]) {
      for (v[2] = kLow; v[2] <= kHigh; ++v[2]) {
        if (predicate(value_of)) return true;
      }
    }
  }
  return false;
}

bool violated(const Query& q, const LinearExpr::Assignment& value_of) {
  for (const Atom& f : q.facts) {
    if (!f.holds(value_of).value()) return false;
  }
  if (const auto* goal = std::get_if<Atom>(&q.goal)) return !goal->holds(value_of).value();
  const auto& c = std::get<Coverage>(q.goal);
  for (std::int64_t unit = -60; unit <= 60; ++unit) {
    if (!contains_unit(c.target, value_of, unit)) continue;
    bool inside = false;
    for (const Range& s : c.sources) inside |= contains_unit(s, value_of, unit);
    if (!inside) return true;
  }
  return false;
}

// ---- The suite ----

using Factory = std::function<std::unique_ptr<logic::Entailment>()>;
struct Engine {
  const char* name;
  Factory make;
};
void PrintTo(const Engine& e, std::ostream* os) {
  *os << e.name;
}

class Conformance : public testing::TestWithParam<Engine> {};

TEST_P(Conformance, ProvesWhatPlacementNeeds) {
  auto engine = GetParam().make();
  for (const Case& c : provable()) {
    EXPECT_EQ(c.ask(*engine, c.facts), Verdict::Proved) << c.name;
  }
}

TEST_P(Conformance, NeverContradictsBruteForce) {
  auto engine = GetParam().make();
  const unsigned seed = 20170314;
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const auto expr = [&] {
    LinearExpr e(pick(-3, 3));
    for (SymbolId s : {kI, kJ, kN}) e = e.plus_scaled(LinearExpr(s), pick(0, 2) ? 0 : pick(-2, 2));
    return e;
  };
  const auto random_atom = [&] {
    const auto kind = static_cast<Atom::Kind>(pick(0, 3));
    return Atom{kind, expr(), kind == Atom::Kind::Divisible ? pick(2, 4) : 0};
  };
  const auto random_range = [&] {
    if (pick(0, 2) == 0) {  // a column of a common grid, so that columns meet
      const std::int64_t offset = pick(0, 3);
      const LinearExpr end = n * (pick(0, 1) ? 4 : 1) + (pick(0, 1) ? offset : 0);
      return logic::make_range(offset, end, 4, pick(1, 3));
    }
    const LinearExpr begin = expr();
    if (pick(0, 2) == 0) return logic::block(begin, pick(1, 3));
    const std::int64_t width = pick(1, 2);
    const std::int64_t step = pick(0, 1) ? 1 : pick(2, 4);
    if (step <= width) return Range{begin, expr(), 1, 1};
    return Range{begin, expr(), step, width};
  };
  int decided = 0;
  for (int round = 0; round < 1200; ++round) {
    std::vector<Atom> facts;
    for (int k = pick(0, 3); k > 0; --k) facts.push_back(random_atom());
    std::vector<Range> sources;
    for (int k = pick(0, 3); k > 0; --k) sources.push_back(random_range());
    const Query query =
        pick(0, 1) ? Query{facts, random_atom()} : Query{facts, Coverage{random_range(), sources}};
    const Verdict verdict = engine->decide(query);
    decided += verdict != Verdict::Unknown;
    if (verdict == Verdict::Proved) {
      EXPECT_FALSE(exists([&](const auto& v) { return violated(query, v); }))
          << "seed " << seed << " round " << round << "\n"
          << to_smtlib(query);
    }
    // Refuted may rest on a model outside the small box, so only its absence can be checked there:
    // an engine that refutes must not refute what Z3 proves.
    if (verdict == Verdict::Refuted) {
      static Z3Engine z3;
      EXPECT_NE(z3.decide(query), Verdict::Proved) << "seed " << seed << " round " << round << "\n"
                                                   << to_smtlib(query);
    }
  }
  EXPECT_GT(decided, 750);
}

TEST_P(Conformance, IsDeterministic) {
  for (const Case& c : provable()) {
    const Verdict first = c.ask(*GetParam().make(), c.facts);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(c.ask(*GetParam().make(), c.facts), first) << c.name;
  }
}

TEST_P(Conformance, OverflowIsNeverAProof) {
  auto engine = GetParam().make();
  const LinearExpr huge = LinearExpr(INT64_MAX) + 1;
  ASSERT_FALSE(huge.valid());
  const std::vector<Atom> facts{{Atom::Kind::NonNegative, huge, 0}};
  EXPECT_NE(engine->decide({facts, Atom::less(0, i)}), Verdict::Proved);
  EXPECT_EQ(engine->decide({{}, Atom{Atom::Kind::NonNegative, huge, 0}}), Verdict::Unknown);
  EXPECT_EQ(engine->decide({{}, Coverage{Range{huge, i, 1, 1}, {}}}), Verdict::Unknown);
}

INSTANTIATE_TEST_SUITE_P(
    Engines, Conformance,
    testing::Values(Engine{"affine", [] { return std::make_unique<AffineEngine>(); }},
                    Engine{"z3", [] { return std::make_unique<Z3Engine>(); }},
                    Engine{"chain_affine", [] { return make_chain(Engines::Affine); }},
                    Engine{"chain_both", [] { return make_chain(Engines::Both); }}),
    [](const auto& info) { return info.param.name; });

TEST(Chain, CountsWhoProvedAndAnswersRepeatsFromTheCache) {
  auto chain = make_chain(Engines::Both);
  const std::vector<Atom> facts{Atom::less(i, j), Atom::less(j, n)};
  const LinearExpr x(SymbolId{10}), y(SymbolId{11}), z(SymbolId{12});
  const std::vector<Atom> renamed{Atom::less(x, y), Atom::less(y, z)};
  EXPECT_TRUE(chain->proves(facts, Atom::less(i, n)));
  EXPECT_EQ(chain->cache().misses(), 1u);
  EXPECT_TRUE(chain->proves(facts, Atom::less(i, n)));
  EXPECT_EQ(chain->cache().hits(), 1u);
  EXPECT_TRUE(chain->proves(renamed, Atom::less(x, z)));
  EXPECT_EQ(chain->cache().hits(), 2u) << "the same question about other symbols";
  EXPECT_EQ(chain->sequence().counts()[0].proved, 1u);
  EXPECT_EQ(chain->sequence().counts()[1].proved, 0u);
}

TEST(Chain, Z3AnswersWhatAffineCannot) {
  // An index is even or odd: beyond sweeping, which never splits cases.
  auto chain = make_chain(Engines::Both);
  const std::vector<Range> sources{range(0, n, 2), range(1, n, 2)};
  const std::vector<Atom> facts{Atom::at_most(0, i), Atom::less(i, n)};
  EXPECT_TRUE(chain->covers(facts, logic::block(i, 1), sources));
  EXPECT_EQ(chain->sequence().counts()[0].proved, 0u);
  EXPECT_EQ(chain->sequence().counts()[1].proved, 1u);
}

TEST(Smtlib, WritesACompleteScript) {
  const std::vector<Atom> facts{Atom::less(i, n), Atom::congruent(i, 0, 2)};
  const std::vector<Range> sources{range(0, n, 2)};
  const std::string text = to_smtlib({facts, Coverage{logic::block(i, 1), sources}});
  EXPECT_EQ(text,
            "(set-logic QF_LIA)\n"
            "(declare-const v0 Int)\n"
            "(declare-const v1 Int)\n"
            "(assert (>= (+ (- 1) (* (- 1) v0) v1) 0))\n"
            "(assert (= (mod (+ 0 (* (- 1) v0)) 2) 0))\n"
            "(declare-const unit Int)\n"
            "(assert (and (<= (+ 0 v0) unit) (< unit (+ 1 v0))))\n"
            "(assert (not (and (<= 0 unit) (< (- unit (mod (- unit 0) 2)) (+ 0 v1)) "
            "(< (mod (- unit 0) 2) 1))))\n"
            "(check-sat)\n")
      << text;
}

}  // namespace
}  // namespace bigfoot::solver
