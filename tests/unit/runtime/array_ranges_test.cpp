// From addresses to globals and mappings: the table against a naive list of ranges.
#include "runtime/array/ranges.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

namespace bigfoot::rt::testing {
namespace {

constexpr uptr kRegion = abi::kRegionBytes;

struct RangesTest : ::testing::Test {
  RangesTest() { ranges.initialise(); }
  ArrayRanges ranges;
  u32 number_at(uptr a) const { return ranges.find(a).number; }
};

TEST_F(RangesTest, FindsFirstAndLastByteAndNothingBeside) {
  const uptr begin = 5 * kRegion + 4096 - 512;
  ASSERT_TRUE(ranges.add({begin, 1024}, Origin{7}));
  EXPECT_FALSE(ranges.holds(begin - 1));
  EXPECT_TRUE(ranges.holds(begin));
  EXPECT_TRUE(ranges.holds(begin + 1023));
  EXPECT_FALSE(ranges.holds(begin + 1024));
  const heap::NumberedBlock found = ranges.find(begin + 600);
  EXPECT_EQ(found.bytes.begin, begin);
  EXPECT_EQ(found.bytes.size, 1024u);
  EXPECT_EQ(found.allocated, Origin{7});
  EXPECT_GE(found.number, ArrayRanges::kFirstNumber);
}

TEST_F(RangesTest, NoAddressIsOutOfBounds) {
  for (uptr a : {uptr{0}, (uptr{1} << 47) - 1, uptr{1} << 47, ~uptr{0}})
    EXPECT_FALSE(ranges.holds(a));
  EXPECT_EQ(ranges.first_in({(uptr{1} << 47) - 8, 4096}).bytes.size, 0u);
  EXPECT_FALSE(ranges.add({(uptr{1} << 47) - 1024, 2048}, kNoOrigin));
}

TEST_F(RangesTest, RefusesWhatIsSmallOrOverlaps) {
  EXPECT_FALSE(ranges.add({kRegion, 1016}, kNoOrigin));
  ASSERT_TRUE(ranges.add({kRegion, 4096}, kNoOrigin));
  EXPECT_FALSE(ranges.add({kRegion, 4096}, kNoOrigin));
  EXPECT_FALSE(ranges.add({kRegion - 2048, 2056}, kNoOrigin));
  EXPECT_FALSE(ranges.add({kRegion + 4088, 2048}, kNoOrigin));
  EXPECT_FALSE(ranges.add({kRegion - 8192, 65536}, kNoOrigin));
  EXPECT_TRUE(ranges.add({kRegion - 2048, 2048}, kNoOrigin));
}

// A terabyte takes an entry for each region, and none for its pages.
TEST_F(RangesTest, FillsRegions) {
  const usize before = arena_bytes();
  const uptr begin = 100 * kRegion - 8192;
  const usize bytes = (usize{1} << 40) + 3 * 8192;
  ASSERT_TRUE(ranges.add({begin, bytes}, kNoOrigin));
  const u32 number = number_at(begin);
  for (uptr a : {begin + 8191, begin + 8192, begin + bytes / 2, begin + bytes - 1})
    EXPECT_EQ(number_at(a), number);
  EXPECT_FALSE(ranges.holds(begin - 1) || ranges.holds(begin + bytes));
  EXPECT_LE(arena_bytes() - before, usize{4} << 20);
  EXPECT_EQ(ranges.first_in({0, uptr{1} << 47}).bytes.begin, begin);
  ranges.remove(number);
  EXPECT_EQ(ranges.first_in({0, uptr{1} << 47}).bytes.size, 0u);
  // What it filled can be divided again.
  ASSERT_TRUE(ranges.add({101 * kRegion + 4096, 2048}, kNoOrigin));
  EXPECT_FALSE(ranges.holds(101 * kRegion));
  EXPECT_TRUE(ranges.holds(101 * kRegion + 4096));
}

TEST_F(RangesTest, WhatIsPlainIsFoundButNotHeld) {
  ASSERT_TRUE(ranges.add({kRegion, 4096}, kNoOrigin));
  const u32 number = number_at(kRegion);
  ranges.set_plain(number, true);
  EXPECT_FALSE(ranges.holds(kRegion));
  EXPECT_EQ(number_at(kRegion), number);
  ranges.remove(number);
  ASSERT_TRUE(ranges.add({kRegion, 4096}, kNoOrigin));  // another one, perhaps with the same number
  EXPECT_TRUE(ranges.holds(kRegion));
}

// Ranges that share pages, cross the borders of regions and fill them, against an ordered map.
class RandomRanges {
 public:
  explicit RandomRanges(std::uint64_t seed) : random_(seed) { ranges_.initialise(); }

  void step() {
    if (below(3) != 0) {
      const ByteRange r = some_range();
      const bool fits = r.size >= 1024 && overlapping(r) == model_.end();
      ASSERT_EQ(ranges_.add(r, Origin{static_cast<u32>(r.size)}), fits);
      if (fits) model_[r.begin] = r.size;
    } else if (!model_.empty()) {
      auto i = model_.begin();
      std::advance(i, below(model_.size()));
      ranges_.remove(ranges_.find(i->first).number);
      model_.erase(i);
    }
    for (const auto& [begin, size] : model_)
      for (uptr a : {begin - 1, begin, begin + size - 1, begin + size})
        ASSERT_NO_FATAL_FAILURE(ask(a));
    for (int i = 0; i < 20; ++i) ASSERT_NO_FATAL_FAILURE(ask(some_address()));
    const ByteRange r = some_range();
    const auto first = overlapping(r);
    const heap::NumberedBlock found = ranges_.first_in(r);
    ASSERT_EQ(found.bytes.begin, first == model_.end() ? 0 : first->first);
    ASSERT_EQ(found.bytes.size, first == model_.end() ? 0 : first->second);
  }

 private:
  using Model = std::map<uptr, usize>;

  usize below(usize n) { return random_() % n; }
  // Around the border of two regions, or a few regions away from it.
  uptr some_address() {
    const uptr border = 64 * kRegion;
    return below(4) == 0 ? border + below(6) * kRegion - 8 * below(2)
                         : border - 16384 + 8 * below(4096);
  }
  ByteRange some_range() {
    const usize size = below(10) == 0 ? kRegion * below(4) + 4096 * below(4) : 8 * below(900);
    return {some_address(), size};
  }
  Model::const_iterator overlapping(ByteRange r) const {
    auto i = model_.lower_bound(r.begin);
    if (i != model_.begin() && std::prev(i)->first + std::prev(i)->second > r.begin) --i;
    return i != model_.end() && i->first < r.end() && r.begin < r.end() ? i : model_.end();
  }
  void ask(uptr a) {
    const auto owner = overlapping({a, 1});
    ASSERT_EQ(ranges_.holds(a), owner != model_.end()) << std::hex << a;
    const heap::NumberedBlock found = ranges_.find(a);
    ASSERT_EQ(found.bytes.size, owner == model_.end() ? 0 : owner->second);
    if (owner == model_.end()) return;
    ASSERT_EQ(found.bytes.begin, owner->first);
    ASSERT_EQ(found.allocated, Origin{static_cast<u32>(owner->second)});
  }

  std::mt19937_64 random_;
  ArrayRanges ranges_;
  Model model_;
};

TEST(ArrayRangesModel, RandomRangesAreFoundAsInAMap) {
  const char* given = std::getenv("BIGFOOT_TEST_SEED");
  const std::uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 10) : 0;
  for (std::uint64_t seed = first; seed < first + 20; ++seed) {
    SCOPED_TRACE("BIGFOOT_TEST_SEED=" + std::to_string(seed));
    RandomRanges random(seed);
    for (int i = 0; i < 300; ++i) ASSERT_NO_FATAL_FAILURE(random.step()) << "step " << i;
  }
}

}  // namespace
}  // namespace bigfoot::rt::testing
