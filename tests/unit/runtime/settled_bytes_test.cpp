#include "runtime/context/settled_bytes.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

namespace bigfoot::rt {
namespace {

class SettledBytesTest : public ::testing::Test {
 protected:
  SettledBytesTest() {
    hot.settled_bytes = blocks;
    hot.settled_epoch = SettledBytes::kEpochStep;
  }
  bool read(uptr a, unsigned size) const { return SettledBytes::contain<false>(hot, a, size); }
  bool written(uptr a, unsigned size) const { return SettledBytes::contain<true>(hot, a, size); }
  void add_read(uptr a, unsigned size) { SettledBytes::add<false>(hot, a, size); }
  void add_write(uptr a, unsigned size) { SettledBytes::add<true>(hot, a, size); }

  static constexpr uptr kBlock = 64, kWay = kBlock * SettledBytes::kCount;
  static constexpr uptr x = 0x7fff00000000 + 3 * kBlock;
  SettledBlock blocks[SettledBytes::kCount] = {};
  abi::ThreadHot hot = {};
};

TEST_F(SettledBytesTest, AWriteCountsAsAReadAndNotTheOtherWayRound) {
  add_read(x + 4, 4);
  EXPECT_TRUE(read(x + 4, 4) && read(x + 5, 1));
  EXPECT_FALSE(written(x + 4, 4) || read(x + 3, 2) || read(x + 7, 2));
  add_write(x + 8, 2);
  EXPECT_TRUE(written(x + 8, 2) && read(x + 8, 2) && read(x + 4, 4));
}

TEST_F(SettledBytesTest, ABlockThatFallsIntoTheSamePlaceTakesIt) {
  add_write(x, 8);
  EXPECT_FALSE(read(x + kWay, 1));
  add_read(x + kWay + 16, 4);
  EXPECT_TRUE(read(x + kWay + 16, 4));
  EXPECT_FALSE(read(x + kWay, 1) || written(x + kWay, 1));  // nothing is left of the other's bytes
  EXPECT_FALSE(read(x, 8));
}

TEST_F(SettledBytesTest, BytesBehindTheBlockAreNotSettled) {
  add_read(x + 62, 4);  // of which two are kept
  EXPECT_TRUE(read(x + 62, 2));
  EXPECT_FALSE(read(x + 62, 4) || read(x + 64, 1));
}

TEST_F(SettledBytesTest, AnotherEpochHasSettledNothing) {
  add_write(x, 8);
  SettledBytes::begin_epoch(hot);
  EXPECT_FALSE(read(x, 1));
  add_read(x + 8, 8);
  EXPECT_FALSE(read(x, 1));
}

// There are as many numbers as the upper bits have; then they come again.
TEST_F(SettledBytesTest, NumbersThatComeAgainBringNothingBack) {
  add_write(x, 8);
  const u64 first = hot.settled_epoch;
  hot.settled_epoch = ~(SettledBytes::kEpochStep - 1);
  SettledBytes::begin_epoch(hot);
  EXPECT_EQ(hot.settled_epoch, first);
  EXPECT_FALSE(read(x, 1));
}

TEST_F(SettledBytesTest, MemoryThatEndsIsForgotten) {
  add_write(x, 8);
  add_write(x + kBlock, 8);
  SettledBytes::forget(hot, x + kBlock + 8, x + kBlock + 9);
  EXPECT_TRUE(written(x, 8));
  EXPECT_FALSE(read(x + kBlock, 1));
  add_write(x - kBlock, 8);
  SettledBytes::forget(hot, x, x + kWay * 4);  // more than the table has
  EXPECT_FALSE(read(x, 1));
  EXPECT_TRUE(read(x - kBlock, 8));
}

TEST_F(SettledBytesTest, WhoRemembersNothingWritesNothing) {
  hot.settled_bytes = SettledBytes::none;
  add_write(x, 8);
  EXPECT_FALSE(read(x, 1));
  for (const SettledBlock& b : SettledBytes::none) EXPECT_EQ(b.name | b.read | b.wrote, 0u);
}

// Bytes of a block whose neighbours are forgotten while they are added.
TEST_F(SettledBytesTest, WhatIsForgottenMeanwhileDoesNotComeBack) {
  add_write(x, 8);
  SettledBytes::forget(hot, x, x + 8);
  add_write(x + 8, 8);
  EXPECT_TRUE(written(x + 8, 8));
  EXPECT_FALSE(read(x, 1));
}

// A handler of a signal comes between the look at the cells and what is remembered of it.
TEST_F(SettledBytesTest, ALookIsOfOneEpoch) {
  SettledBytes::begin_look(hot);
  EXPECT_TRUE(SettledBytes::look_is_valid(hot));
  SettledBytes::begin_epoch(hot);
  EXPECT_FALSE(SettledBytes::look_is_valid(hot));
}

TEST_F(SettledBytesTest, AddressesThatHaveNoShadowAreNotRemembered) {
  add_read(x | uptr{1} << 52, 8);
  EXPECT_FALSE(read(x, 1));
  EXPECT_FALSE(read(x | uptr{1} << 52, 8));
}

// What is said to be settled is; a naive set of bytes knows.
TEST_F(SettledBytesTest, AgreesWithASetOfBytes) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::set<std::pair<uptr, bool>> done;  // byte, is write
  unsigned found = 0;
  for (int i = 0; i < 100'000; ++i) {
    const unsigned size = 1u << below(4);
    const uptr a = 0x10000 + below(4) / 3 * kWay + below(2) * kBlock + below(24);
    const bool writes = below(2) != 0;
    const unsigned what = below(128);
    if (what == 0) {
      SettledBytes::begin_epoch(hot);
      done.clear();
    } else if (what < 6) {
      SettledBytes::forget(hot, a, a + kBlock);
      for (uptr b = a; b < a + kBlock; ++b)
        for (bool w : {false, true}) done.erase({b, w});
    } else if (what < 48) {
      writes ? add_write(a, size) : add_read(a, size);
      for (uptr b = a; b < a + size; ++b)
        for (bool w : {false, writes}) done.insert({b, w});
    } else if (writes ? written(a, size) : read(a, size)) {
      ++found;
      for (uptr b = a; b < a + size; ++b)
        ASSERT_TRUE(done.contains({b, writes})) << "step " << i << ", byte " << b;
    }
  }
  EXPECT_GT(found, 1000u) << found;
}

}  // namespace
}  // namespace bigfoot::rt
