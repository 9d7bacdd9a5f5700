// Footprints against sets of elements: the extension rules of SlimState's section V-A.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "runtime/array/footprint.h"

namespace bigfoot::rt {
namespace {

std::set<uptr> elements(const Footprint& f) {
  std::set<uptr> s;
  for (usize i = 0; i < f.count(); ++i) s.insert(f.begin + i * f.step);
  return s;
}

TEST(FootprintTest, GrowsAtItsEnd) {
  Footprint f = Footprint::one(96, 8);
  EXPECT_TRUE(f.extend(104));
  EXPECT_TRUE(f.extend(112));
  EXPECT_EQ(f, (Footprint{96, 112, 8, 8}));
  EXPECT_TRUE(f.contiguous());
}
TEST(FootprintTest, GrowsAtItsBeginning) {
  Footprint f = Footprint::one(96, 4);
  EXPECT_TRUE(f.extend(80));
  EXPECT_TRUE(f.extend(64));
  EXPECT_EQ(f, (Footprint{64, 96, 16, 4}));
  EXPECT_FALSE(f.contiguous());
}
TEST(FootprintTest, HasItsElementsAlready) {
  Footprint f{64, 160, 24, 8};
  EXPECT_TRUE(f.extend(64));
  EXPECT_TRUE(f.extend(112));
  EXPECT_EQ(f, (Footprint{64, 160, 24, 8}));
}
TEST(FootprintTest, RefusesWhatIsNoStridedRange) {
  Footprint f{64, 160, 24, 8};
  for (uptr a : {uptr{72}, uptr{32}, uptr{208}, uptr{0}}) EXPECT_FALSE(f.extend(a)) << a;
  EXPECT_EQ(f, (Footprint{64, 160, 24, 8}));
}
TEST(FootprintTest, KnowsWhichAccessAByteBelongsTo) {
  const Footprint f{64, 160, 24, 8};
  EXPECT_EQ(f.access_at(64, 8).begin, 64u);
  EXPECT_EQ(f.access_at(95, 8).begin, 88u);
  EXPECT_EQ(f.access_at(167, 8).begin, 160u);
  // Elements of two accesses, and of one and a half.
  EXPECT_EQ(f.access_at(93, 4).begin, 92u);
  EXPECT_EQ(f.access_at(91, 4).end(), 92u);
  const Footprint long_ones{0, 100, 100, 12};
  EXPECT_EQ(long_ones.access_at(109, 8).begin, 108u);
  EXPECT_EQ(long_ones.access_at(109, 8).end(), 112u);
  // Elements that overlap: the last one has the bytes behind all others.
  const Footprint overlapping{0, 8, 4, 16};
  EXPECT_EQ(overlapping.access_at(9, 16).begin, 8u);
  EXPECT_EQ(overlapping.access_at(23, 16).begin, 8u);
}
TEST(FootprintTest, ARunStopsBeforeItsEnd) {
  EXPECT_EQ(Footprint::run(0, 32, 8, 8), (Footprint{0, 24, 8, 8}));
  EXPECT_EQ(Footprint::run(0, 33, 16, 8), (Footprint{0, 32, 16, 8}));
  EXPECT_EQ(Footprint::run(8, 9, 16, 8), Footprint::one(8, 8));
}

// Whatever is accepted is the exact union, and what the rules name is accepted.
TEST(FootprintTest, AcceptsExactlyUnions) {
  std::mt19937_64 random(20240301);
  for (int i = 0; i < 200000; ++i) {
    auto some = [&] {
      const usize step = (random() % 4 + 1) * 8;
      const uptr begin = random() % 24 * 8;
      return Footprint::run(begin, begin + 1 + random() % 6 * step, step, 8);
    };
    Footprint f = some();
    const Footprint before = f, added = some();
    std::set<uptr> both = elements(f);
    for (uptr a : elements(added)) both.insert(a);
    const bool accepted = f.extend(added);
    if (accepted) {
      ASSERT_EQ(elements(f), both);
    } else {
      ASSERT_EQ(f, before);
      const bool rule = before.step == added.step && (added.begin == before.last + before.step ||
                                                      added.last + before.step == before.begin);
      ASSERT_FALSE(rule && before.step != 0);
    }
  }
}

}  // namespace
}  // namespace bigfoot::rt
