// Claims (shadow/claims.h): who has a block to itself, who may take it over, and when it is shared.
// The verdicts are compared with the model by detector_test.cpp and group_test.cpp, which run with
// claims as well.
#include <gtest/gtest.h>

#include "runtime/detect/install.h"
#include "tests/unit/runtime/scripted_threads.h"

namespace bigfoot::rt::testing {
namespace {

Tables& tables() {
  static Tables t;
  return t;
}

struct ClaimsTest : ::testing::Test {
  ClaimsTest() {
    for (ScriptedThread* t : {&a, &b, &c}) t->set_fast_path(true);
  }
  ~ClaimsTest() override { shadow::claims_on = before; }

  u32 claim(uptr at) const { return load_relaxed(shadow::claim_word(at)); }
  static u32 of(const ScriptedThread& t) { return raw(t.stamp()); }

  const bool before = std::exchange(shadow::claims_on, true);
  const std::set<uptr> none;
  const uptr x = fresh_memory(), next = x + shadow::kClaimBytes;
  ScriptedThread a{tables(), kNothing, 1};
  ScriptedThread b{tables(), kNothing, 2};
  ScriptedThread c{tables(), kNothing, 3};
  VectorClock lock;
};

TEST_F(ClaimsTest, TheFirstAccessClaimsItsBlockAlone) {
  a.read(x + 8, 8);
  EXPECT_EQ(claim(x), of(a));
  EXPECT_EQ(claim(x + shadow::kClaimBytes - 1), of(a));
  a.read(x + 2 * shadow::kClaimBytes, 1);
  EXPECT_EQ(claim(next), shadow::kUnclaimed);
}

TEST_F(ClaimsTest, WhoKnowsOfTheEpochTakesItOver) {
  a.write(x, 8);
  a.release(lock);
  b.acquire(lock);
  EXPECT_EQ(b.write(x + 40, 4), none);
  EXPECT_EQ(claim(x), of(b));
  // What the one before has recorded is still there for those who are ordered with neither.
  EXPECT_EQ(c.write(x, 8).size(), 8u);
}

TEST_F(ClaimsTest, WhoDoesNotKnowOfItSharesTheBlock) {
  a.write(x, 8);
  EXPECT_EQ(b.write(x + 8, 8), none);
  EXPECT_EQ(claim(x), shadow::kShared);
  EXPECT_EQ(claim(next), shadow::kUnclaimed);
}

// Memory that begins anew: whether anybody else may remember what he did there.
TEST_F(ClaimsTest, BlocksAreOfOneThread) {
  const ByteRange words{x, 16};
  EXPECT_TRUE(is_only_of(words, a.stamp())) << "nobody was there";
  a.write(x, 8);
  a.release(lock);
  EXPECT_TRUE(is_only_of(words, a.stamp())) << "an earlier epoch of the thread";
  EXPECT_FALSE(is_only_of(words, b.stamp()));
  b.acquire(lock);
  b.read(x + 8, 1);
  EXPECT_FALSE(is_only_of({x, 1}, a.stamp())) << "the block is another's now";
  EXPECT_TRUE(is_only_of({next, 8}, a.stamp()));
  EXPECT_FALSE(is_only_of({x, next + 8 - x}, a.stamp())) << "the first of two blocks";
}

TEST_F(ClaimsTest, WordsOfSharedBlocksAreOfOneThread) {
  a.write(x, 8);
  a.read(x + 8, 8);
  b.write(x + 16, 8);
  b.read(x + 24, 8);
  ASSERT_EQ(claim(x), shadow::kShared);
  EXPECT_TRUE(is_only_of({x, 16}, a.stamp()));
  EXPECT_FALSE(is_only_of({x, 24}, a.stamp())) << "a write of another";
  EXPECT_FALSE(is_only_of({x + 24, 8}, a.stamp())) << "a read of another";
  EXPECT_TRUE(is_only_of({x + 32, 32}, c.stamp())) << "nothing is recorded";
  a.read(x + 24, 8);
  EXPECT_FALSE(is_only_of({x + 24, 8}, a.stamp())) << "a read of both";
  b.write(x + 40, 2);
  EXPECT_FALSE(is_only_of({x + 40, 8}, a.stamp())) << "a part of a word";
}

// An epoch that has claimed a block without a record is not over when its thread synchronises.
TEST_F(ClaimsTest, AClaimWithoutARecordIsNotTakenOver) {
  shadow::cell<8>(x);
  const u32 claimed = of(a);
  store_release(shadow::claim_word(x), claimed);
  a.release(lock);
  ASSERT_EQ(of(a), claimed);  // nothing was recorded, so no time has passed
  b.acquire(lock);
  b.write(x, 8);
  EXPECT_EQ(claim(x), shadow::kShared);
}

TEST_F(ClaimsTest, ClearingAllOfABlockMakesItNobodys) {
  a.write(x, 8);
  b.read(x, 8);
  a.write(next, 8);
  b.read(next, 8);
  ASSERT_EQ(claim(x), shadow::kShared);
  clear_history({x, shadow::kClaimBytes + 32}, nullptr, nullptr);
  EXPECT_EQ(claim(x), shadow::kUnclaimed);
  EXPECT_EQ(claim(next), shadow::kShared) << "half of it goes on";
  EXPECT_EQ(c.write(x, 8), none);
  EXPECT_EQ(claim(x), of(c));
}

// Who was about to record something in a shared block whose memory begins anew has to do so again.
TEST_F(ClaimsTest, ARecordInABlockThatBeginsAnewIsMisplaced) {
  a.write(x, 8);
  b.read(x + 8, 8);
  ASSERT_EQ(claim(x), shadow::kShared);
  const Observer me{b.knows(), b.slot(), b.stamp(), tables().stamps};
  // Between the look at the claim and the record: the place is asked for then.
  const auto origin = [&] {
    clear_history({x, shadow::kClaimBytes}, nullptr, nullptr);
    return Origin{1};
  };
  const Quick q = quick_access<8, false>(x + 16, me, origin);
  EXPECT_TRUE(q == Quick::kMisplaced || q == Quick::kNotQuick);
}

// Each epoch reads another byte of a word that is divided already: the second one finds a cell of
// its own, where walks over bytes put the word together from eight of them each time.
TEST_F(ClaimsTest, ABytePartIsCutOnceForAllItsBytes) {
  a.write(x, 3);
  a.release(lock);
  a.write(x + 3, 5);
  a.release(lock);
  a.read(x + 4, 1);
  ASSERT_EQ(claim(x), of(a));
  const Division cut(load_cell(shadow::cell<8>(x)).write);
  EXPECT_EQ(cut, Division::parts(0xff & ~0b110u));  // [0,3) is as it was
  a.release(lock);
  a.read(x + 6, 1);
  EXPECT_EQ(Division(load_cell(shadow::cell<8>(x)).write), cut);
  b.acquire(lock);  // of all but the last read
  EXPECT_EQ(b.write(x, 8), (std::set<uptr>{x + 6}));
}

// A group in two blocks: its history may be cut apart, so whoever adds to it has both.
TEST_F(ClaimsTest, AccessesToAGroupClaimAllItsBlocks) {
  for (ScriptedThread* t : {&a, &b, &c}) t->set_groups(true);
  const uptr object = next - 16;
  a.write(object, 32);
  ASSERT_EQ(group_words(load_cell(shadow::cell<8>(object))), 4u);
  EXPECT_EQ(claim(object), of(a));
  EXPECT_EQ(claim(next), of(a));
  a.release(lock);
  b.acquire(lock);
  EXPECT_EQ(b.write(object, 32), none);
  EXPECT_EQ(claim(object), of(b));
  EXPECT_EQ(claim(next), of(b));
  c.acquire(lock);  // ordered after a, not after b
  EXPECT_EQ(c.read(next, 8).size(), 8u);
}

// What is behind it may be an array, whose history is not in the planes.
TEST_F(ClaimsTest, WhoCutsAGroupClaimsItsBlocksAndNoMore) {
  for (ScriptedThread* t : {&a, &b}) t->set_groups(true);
  const uptr object = next - 24;
  a.write(object, 24);
  ASSERT_EQ(group_words(load_cell(shadow::cell<8>(object))), 3u);
  a.release(lock);
  b.acquire(lock);
  EXPECT_EQ(b.write(object + 16, 8), none);
  EXPECT_EQ(claim(object), of(b));
  EXPECT_EQ(claim(next), shadow::kUnclaimed);
}

// Threads were stopped for it: its next users are as near to each other.
TEST_F(ClaimsTest, AContendedBlockStaysSharedWhenItIsCleared) {
  a.write(x, 8);
  shadow::share_for_good(shadow::claim_word(x));
  clear_history({x, shadow::kClaimBytes}, nullptr, nullptr);
  EXPECT_EQ(claim(x), shadow::kShared);
}

TEST_F(ClaimsTest, WordsOfBlocksWithDifferentRightsAreNoGroup) {
  for (ScriptedThread* t : {&a, &b}) t->set_groups(true);
  const uptr object = next - 16;
  a.write(next + 32, 8);
  b.write(next + 40, 8);
  ASSERT_EQ(claim(next), shadow::kShared);
  a.write(object, 32);
  EXPECT_EQ(group_words(load_cell(shadow::cell<8>(object))), 1u);
}

TEST_F(ClaimsTest, WhatComesFromAnArrayIsShared) {
  PlaneWriter planes(8);
  planes.put({x, 8}, written(of(a), 1));
  planes.finish();
  EXPECT_EQ(claim(x), shadow::kShared);
}

TEST_F(ClaimsTest, WithoutClaimsAllIsShared) {
  shadow::claims_on = false;
  a.write(x, 8);
  EXPECT_EQ(claim(x), shadow::kShared);
}

// History is given up: only where objects live the blocks stay shared, since their marks stay.
TEST_F(ClaimsTest, ClaimsAreForgottenButForThoseOfObjects) {
  const uptr object = next;
  a.write(x, 8);
  b.write(x + 8, 8);
  a.share({object, 8});
  mark_sync(object);
  a.write(object + 1024, 8);
  shadow::forget_claims();
  EXPECT_EQ(claim(x), shadow::kUnclaimed);
  EXPECT_EQ(claim(object), shadow::kShared);
  EXPECT_EQ(claim(object + 1024), shadow::kUnclaimed);
  unmark_sync(object);
}

TEST_F(ClaimsTest, AllClaimsAreFound) {
  const uptr far = x + 2 * abi::kRegionBytes;
  a.write(x, 8);
  a.write(far, 8);
  std::multiset<u32> found;
  shadow::for_each_claim(
      [](void* all, uptr, u32* claim) { static_cast<std::multiset<u32>*>(all)->insert(*claim); },
      &found);
  EXPECT_EQ(found.count(of(a)), 2u);
}

}  // namespace
}  // namespace bigfoot::rt::testing
