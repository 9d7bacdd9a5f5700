// Where cells are: every piece has one of its own, those of a word are side by side, and what
// nobody has recorded takes nothing.
#include "runtime/shadow/planes.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace bigfoot::rt {
namespace {

// Far from what other tests use, and at the end of a region.
constexpr uptr kBorder = uptr{0x5123} << abi::kRegionBits;
template <unsigned G>
constexpr uptr kLeaf = uptr{1} << abi::leaf_shift(G);

template <class Size>
class Planes : public ::testing::Test {};
template <unsigned G>
struct Bytes {
  static constexpr unsigned kSize = G;
};
using Sizes = ::testing::Types<Bytes<1>, Bytes<2>, Bytes<4>, Bytes<8>>;
TYPED_TEST_SUITE(Planes, Sizes);

TYPED_TEST(Planes, EveryPieceHasACellOfItsOwn) {
  constexpr unsigned G = TypeParam::kSize;
  constexpr uptr kHalf = 4096;
  std::set<const Cell*> seen;
  for (uptr a = kBorder - kHalf; a < kBorder + kHalf; a += G) {
    Cell* cell = shadow::cell<G>(a);
    EXPECT_TRUE(seen.insert(cell).second) << a;
    EXPECT_EQ(reinterpret_cast<uptr>(cell) % sizeof(Cell), 0u);
    EXPECT_EQ(shadow::cell_if_present<G>(a), cell);
    EXPECT_EQ(shadow::cell<G>(a + G - 1), cell);
    if (a % 8 != 0) EXPECT_EQ(cell, shadow::cell<G>(a - G) + 1);
  }
  EXPECT_EQ(seen.size(), 2 * kHalf / G);
}

TYPED_TEST(Planes, NothingIsThereUntilSomebodyRecords) {
  constexpr unsigned G = TypeParam::kSize;
  if constexpr (G != 8) {
    const uptr a = kBorder + (uptr{1} << 22) + 3 * kLeaf<G> + G;
    EXPECT_EQ(shadow::cell_if_present<G>(a), nullptr);
    EXPECT_TRUE(shadow::is_fresh<G>(a));
    shadow::make_present<G>(a);
    EXPECT_FALSE(shadow::is_fresh<G>(a));
    ASSERT_NE(shadow::cell_if_present<G>(a), nullptr);
    EXPECT_EQ(load_cell(shadow::cell<G>(a)), Cell{});
    EXPECT_TRUE(shadow::is_fresh<G>(a - kLeaf<G>));
    EXPECT_TRUE(shadow::is_fresh<G>(a + kLeaf<G>));
  }
}

// A sweep gets some leaves ahead, but not beyond its region, whose table ends there.
TYPED_TEST(Planes, SweepsEndWithTheirRegion) {
  constexpr unsigned G = TypeParam::kSize;
  if constexpr (G != 8) {
    constexpr uptr kEnd = kBorder + (uptr{7} << abi::kRegionBits);
    shadow::make_present<G>(kEnd - 2 * kLeaf<G>);
    shadow::make_present<G>(kEnd - kLeaf<G>);
    EXPECT_TRUE(shadow::is_fresh<G>(kEnd));
    Cell* last = shadow::cell<G>(kEnd - G);
    store_cell(last, written(77, 1));
    EXPECT_EQ(load_cell(shadow::cell<G>(kEnd)), Cell{});
    store_cell(last, {});
  }
}

// Of threads that need a leaf at once, all get the same.
TYPED_TEST(Planes, ThreadsAgree) {
  constexpr unsigned G = TypeParam::kSize;
  constexpr int kThreads = 4;
  constexpr uptr kBegin = kBorder + (uptr{9} << abi::kRegionBits) + 64, kBytes = 16384;
  std::vector<std::vector<Cell*>> found(kThreads);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : found)
      threads.emplace_back([&mine] {
        for (uptr a = kBegin; a < kBegin + kBytes; a += G) mine.push_back(shadow::cell<G>(a));
      });
  }
  for (const auto& mine : found) EXPECT_EQ(mine, found[0]);
  EXPECT_EQ(std::set<Cell*>(found[0].begin(), found[0].end()).size(), kBytes / G);
}

}  // namespace
}  // namespace bigfoot::rt
