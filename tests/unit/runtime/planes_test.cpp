// Where cells are: every piece has one of its own, those of a word are side by side, and what
// nobody has recorded takes nothing.
#include "runtime/shadow/planes.h"
#include "runtime/shadow/claims.h"

#include <gtest/gtest.h>

#include <barrier>
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

// A thread that runs alone has one blank leaf for everything, which is none to those who record.
TYPED_TEST(Planes, TestsFindABlankCell) {
  constexpr unsigned G = TypeParam::kSize;
  if constexpr (G != 8) {
    const uptr a = kBorder + (uptr{1} << 23), far = a + (uptr{1} << 20);
    shadow::let_tests_find<G>(a);
    shadow::let_tests_find<G>(far);
    const Cell* found = shadow::detail::cell_from<G>(shadow::detail::cells_of<G>(a), a);
    EXPECT_EQ(found, shadow::detail::cell_from<G>(shadow::detail::cells_of<G>(far), far));
    EXPECT_EQ(load_cell(found), Cell{});
    EXPECT_EQ(shadow::cell_if_present<G>(a), nullptr);
    EXPECT_TRUE(shadow::is_fresh<G>(a));
    Cell* own = shadow::cell<G>(a);
    EXPECT_NE(own, found);
    EXPECT_EQ(shadow::cell_if_present<G>(a), own);
    shadow::let_tests_find<G>(a);
    EXPECT_EQ(shadow::cell<G>(a), own);
    EXPECT_EQ(shadow::cell_if_present<G>(far), nullptr);
  }
}

// In either direction the leaves of a sweep come to lie side by side, a few at a time.
TYPED_TEST(Planes, LeavesOfASweepFollowEachOther) {
  constexpr unsigned G = TypeParam::kSize;
  if constexpr (G != 8) {
    constexpr int kLeaves = 512;
    for (const bool down : {false, true}) {
      const uptr begin = kBorder + (uptr{down ? 3u : 2u} << abi::kRegionBits) + (uptr{1} << 20);
      const auto leaf = [&](int i) { return begin + static_cast<uptr>(i) * kLeaf<G>; };
      for (int i = 0; i < kLeaves; ++i) shadow::cell<G>(leaf(down ? kLeaves - 1 - i : i));
      int followed = 0;
      for (int i = 1; i < kLeaves; ++i)
        followed += shadow::cell<G>(leaf(i)) == shadow::cell<G>(leaf(i - 1)) + abi::kLeafCells;
      EXPECT_GT(followed, kLeaves * 7 / 8) << down;
    }
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

// Of threads that need a leaf at once, all get the same. (They meet at every one.)
TYPED_TEST(Planes, ThreadsAgree) {
  constexpr unsigned G = TypeParam::kSize;
  constexpr int kThreads = 4;
  constexpr uptr kBegin = kBorder + (uptr{9} << abi::kRegionBits) + 64, kBytes = 16384;
  std::vector<std::vector<Cell*>> found(kThreads);
  std::barrier together(kThreads);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : found)
      threads.emplace_back([&mine, &together] {
        for (uptr a = kBegin; a < kBegin + kBytes; a += G) {
          if (a % kLeaf<G> == 0) together.arrive_and_wait();
          mine.push_back(shadow::cell<G>(a));
        }
      });
  }
  for (const auto& mine : found) EXPECT_EQ(mine, found[0]);
  EXPECT_EQ(std::set<Cell*>(found[0].begin(), found[0].end()).size(), kBytes / G);
}

// Last: it forgets the leaves of all tests.
TEST(PlanesZ, StartOver) {
  const uptr a = kBorder + (uptr{11} << abi::kRegionBits);
  Cell* before = shadow::cell<1>(a);
  EXPECT_GT(shadow::pages_of_tables(), 0u);
  shadow::forget_claims();
  shadow::start_over();
  EXPECT_EQ(shadow::pages_of_tables(), 0u);
  EXPECT_EQ(shadow::cell_if_present<1>(a), nullptr);
  EXPECT_TRUE(shadow::is_fresh<8>(a));
  Cell* after = shadow::cell<1>(a);
  EXPECT_NE(after, before);  // somebody may still look at that
  usize leaves = 0;
  shadow::for_each_page([&](unsigned granularity, Cell* page) {
    if (granularity == 1) leaves += after >= page && after < page + shadow::kCellsPerPage;
  });
  EXPECT_EQ(leaves, 1u);
}

}  // namespace
}  // namespace bigfoot::rt
