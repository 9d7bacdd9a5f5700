// Words that share one history: how groups come, are cut and go, and that none of it shows in the
// verdicts.
#include <gtest/gtest.h>

#include <iostream>

#include "runtime/detect/groups.h"
#include "tests/model/traces.h"
#include "tests/unit/runtime/scripted_threads.h"

namespace bigfoot::rt::testing {
namespace {

Tables& tables() {
  static Tables t;
  return t;
}

struct GroupTest : ::testing::Test {
  GroupTest() {
    for (ScriptedThread* t : {&a, &b, &c}) t->set_groups(true);
  }
  // The sizes of the groups from x on, in words; 0 for a divided word.
  std::vector<unsigned> groups(usize words) const {
    std::vector<unsigned> sizes;
    for (usize i = 0; i < words;) {
      const Cell cell = load_cell(shadow::cell<8>(x + i * 8));
      EXPECT_FALSE(is_follower(cell.write)) << "word " << i << " follows nobody";
      sizes.push_back(is_special(cell.write) ? 0 : group_words(cell));
      i += sizes.back() == 0 ? 1 : sizes.back();
    }
    return sizes;
  }
  using Sizes = std::vector<unsigned>;
  const std::set<uptr> none;
  uptr x = fresh_memory();
  ScriptedThread a{tables(), kNothing, 1};
  ScriptedThread b{tables(), kNothing, 2};
  ScriptedThread c{tables(), kNothing, 3};
  VectorClock lock;
};

TEST_F(GroupTest, FieldsCheckedTogetherShareOneCell) {
  EXPECT_EQ(a.write(x, 24), none);
  EXPECT_EQ(groups(3), Sizes{3});
  EXPECT_EQ(b.write(x, 24), bytes(x, 24));
}

TEST_F(GroupTest, AnOrderedCheckOfAllKeepsTheGroup) {
  a.write(x, 24);
  a.release(lock);
  b.acquire(lock);
  EXPECT_EQ(b.read(x, 24), none);
  EXPECT_EQ(c.read(x, 24), bytes(x, 24));
  EXPECT_EQ(b.rule_counts()[static_cast<usize>(Rule::kReadExclusive)], 1u);  // one, not three
}

TEST_F(GroupTest, OneFieldAloneLeavesTheGroupWithItsHistory) {
  a.write(x, 40);
  EXPECT_EQ(b.read(x + 16, 8), bytes(x + 16, 8));
  EXPECT_EQ(groups(5), (Sizes{2, 1, 2}));
  EXPECT_EQ(c.write(x, 40), bytes(x, 40));
}

TEST_F(GroupTest, AByteOfAFieldLeavesTheGroup) {
  a.write(x, 24);
  EXPECT_EQ(b.read(x + 13, 1), bytes(x + 13, 1));
  EXPECT_EQ(groups(3), (Sizes{1, 0, 1}));
  EXPECT_EQ(c.read(x, 24), bytes(x, 24));
}

TEST_F(GroupTest, ACheckOfSomeFieldsCutsTheGroupAroundThem) {
  a.write(x, 48);
  a.release(lock);
  b.acquire(lock);
  EXPECT_EQ(b.write(x + 16, 16), none);
  EXPECT_EQ(groups(6), (Sizes{2, 2, 2}));
  EXPECT_EQ(c.read(x + 16, 16), bytes(x + 16, 16));  // b's write
  EXPECT_EQ(c.read(x + 32, 16), bytes(x + 32, 16));  // a's
}

// What this epoch has done to all of them needs no cut: a field that is used alone after all were.
TEST_F(GroupTest, AFieldUsedAgainInTheSameEpochStays) {
  a.write(x, 24);
  EXPECT_EQ(a.read(x + 8, 8), none);
  EXPECT_EQ(a.write(x + 16, 4), none);
  EXPECT_EQ(groups(3), Sizes{3});
}

TEST_F(GroupTest, WhatWasCutOutStaysAlone) {
  a.write(x, 24);
  a.release(lock);
  b.acquire(lock);
  b.read(x, 8);
  b.release(lock);
  a.acquire(lock);
  a.write(x, 24);
  EXPECT_EQ(groups(3), (Sizes{1, 2}));
}

TEST_F(GroupTest, ClearedMemoryMayFormGroupsAgain) {
  a.write(x, 24);
  b.read(x, 8);
  clear_history({x, 24}, nullptr, nullptr);
  for (uptr w = x; w < x + 24; w += 8) EXPECT_EQ(load_cell(shadow::cell<8>(w)), Cell{});
  EXPECT_EQ(c.write(x, 24), none);
  EXPECT_EQ(groups(3), Sizes{3});
}

TEST_F(GroupTest, ClearingAPartLeavesTheRest) {
  a.write(x, 40);
  clear_history({x + 12, 14}, nullptr, nullptr);
  std::set<uptr> rest = bytes(x, 12);
  rest.merge(bytes(x + 26, 14));
  EXPECT_EQ(b.write(x, 40), rest);
}

TEST_F(GroupTest, AWholeGroupIsClearedInTheMiddleOfARange) {
  a.write(x + 8, 24);
  clear_history({x, 4096}, nullptr, nullptr);
  EXPECT_EQ(b.write(x, 40), none);
}

TEST_F(GroupTest, FieldsOfDifferentPastsAreNoGroupForAReader) {
  a.write(x, 8);
  a.release(lock);
  a.write(x + 8, 8);
  a.release(lock);
  b.acquire(lock);
  EXPECT_EQ(b.read(x, 16), none);
  EXPECT_EQ(groups(2), (Sizes{1, 1}));
  EXPECT_EQ(b.write(x, 16), none);  // from here on they have the same one
  EXPECT_EQ(groups(2), Sizes{2});
}

TEST_F(GroupTest, ARacingCheckFormsNothing) {
  a.write(x + 8, 8);
  EXPECT_EQ(b.write(x, 24), bytes(x + 8, 8));
  EXPECT_EQ(groups(3), (Sizes{1, 1, 1}));
}

TEST_F(GroupTest, AnObjectOfSynchronisationLeavesTheGroup) {
  a.write(x, 24);
  mark_sync(x + 8);
  EXPECT_EQ(groups(3), (Sizes{1, 1, 1}));
  EXPECT_TRUE(shadow::cell<8>(x + 8)->has_sync());
  EXPECT_EQ(b.look(x + 8, 8, false), bytes(x + 8, 8));
  EXPECT_EQ(b.look(x + 16, 8, false), bytes(x + 16, 8));
  unmark_sync(x + 8);
}

TEST_F(GroupTest, WordsWithObjectsFormNoGroup) {
  mark_sync(x + 8);
  a.write(x, 24);
  EXPECT_EQ(groups(3), (Sizes{1, 1, 1}));
  unmark_sync(x + 8);
}

TEST_F(GroupTest, HistoryMovesOutOfAGroup) {
  const uptr y = fresh_memory();
  a.write(x, 24);
  move_history(x + 8, y, 8, kNoObjects);
  EXPECT_EQ(b.write(x + 8, 8), none);
  EXPECT_EQ(b.read(y, 8), bytes(y, 8));
  EXPECT_EQ(b.read(x, 8), bytes(x, 8));
  EXPECT_EQ(b.read(x + 16, 8), bytes(x + 16, 8));
}

TEST_F(GroupTest, HistoryMovesIntoAGroup) {
  const uptr y = fresh_memory();
  a.write(x, 24);
  b.write(y, 8);
  move_history(y, x + 8, 8, kNoObjects);
  EXPECT_EQ(a.read(x + 8, 8), bytes(x + 8, 8));  // b's write
  EXPECT_EQ(b.read(x, 8), bytes(x, 8));
  EXPECT_EQ(b.read(x + 16, 8), bytes(x + 16, 8));
}

TEST_F(GroupTest, OrderedHistoryOfAMemberMayBeForgotten) {
  a.write(x, 24);
  forget_ordered<8>(x + 8);
  forget_ordered<8>(x);
  EXPECT_EQ(b.write(x, 16), none);
  EXPECT_EQ(b.write(x + 16, 8), bytes(x + 16, 8));
}

// Memory that is cleared while somebody still uses it may lose the first word of a group.
TEST_F(GroupTest, AWordWhoseGroupIsGoneHasNoHistory) {
  a.write(x, 24);
  store_cell(shadow::cell<8>(x), Cell{});
  EXPECT_EQ(b.write(x + 8, 8), none);
  EXPECT_EQ(b.write(x, 24), none);
}

// --- random traces

bool differs(const std::vector<model::Event>& trace, const model::TraceShape& shape,
             bool fast_path) {
  const usize blocks = (shape.bytes + shadow::kClaimBytes - 1) & ~(shadow::kClaimBytes - 1);
  clear_history({shape.base, blocks}, nullptr, nullptr);
  model::HappensBefore oracle;
  ScriptedRun run(tables(), fast_path, true);
  for (const model::Event& e : trace) {
    std::set<uptr> raced;
    for (uptr b = e.address; b < e.address + e.size; ++b)
      if (oracle.has_raced(b)) raced.insert(b);
    std::set<uptr> expected = oracle.step(e), found = run.step(e);
    for (uptr b : raced) expected.erase(b), found.erase(b);
    if (found != expected) return true;
  }
  return false;
}

struct ModelCase {
  bool fast_path, natural, transfers;
};

class GroupModel : public ::testing::TestWithParam<ModelCase> {};

// FastTrack promises the first race of each history exactly; of bytes that have raced it promises
// nothing more.
TEST_P(GroupModel, VerdictsAreThoseOfTheModel) {
  u64 seed = 20240301;
  if (const char* s = std::getenv("BIGFOOT_TEST_SEED")) seed = std::strtoull(s, nullptr, 10);
  std::cout << "seed " << seed << " (set BIGFOOT_TEST_SEED to change)\n";
  std::mt19937_64 random(seed);
  model::TraceShape shape;
  shape.base = fresh_memory();
  shape.bytes = 72;
  shape.events = 90;
  shape.fields = true;
  shape.natural = GetParam().natural;
  shape.transfers = GetParam().transfers;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<model::Event> trace = model::random_trace(random, shape);
    auto fails = [&](const std::vector<model::Event>& t) {
      return differs(t, shape, GetParam().fast_path);
    };
    if (!fails(trace)) continue;
    FAIL() << "seed " << seed << ", trace " << i << ", base " << shape.base << "\n"
           << model::to_text(model::shrink(trace, fails));
  }
}
INSTANTIATE_TEST_SUITE_P(All, GroupModel,
                         ::testing::Values(ModelCase{false, true, false},
                                           ModelCase{true, true, false},
                                           ModelCase{true, false, false},
                                           ModelCase{true, true, true},
                                           ModelCase{false, false, true}));

}  // namespace
}  // namespace bigfoot::rt::testing
