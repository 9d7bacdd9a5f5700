// Table I of SlimState: every row by itself, and the two promises of refinement on all small cases.
#include <gtest/gtest.h>

#include <ostream>
#include <set>

#include "runtime/array/partition.h"

namespace bigfoot::rt {

void PrintTo(const Partition& p, std::ostream* out) {
  static constexpr const char* kNames[] = {"COARSE", "BLOCK", "STRIDE", "SPLIT", "PREFIX", "FINE"};
  *out << kNames[static_cast<usize>(p.form)] << "(" << p.parameter << ") of " << p.n;
}

namespace {

constexpr u64 n = 24;
const Partition coarse = Partition::coarse(n);
const Partition fine = Partition::fine(n);

// --- COARSE
TEST(TableOneTest, CoarseStaysForTheWholeArray) {
  EXPECT_EQ(refine(coarse, {0, 23, 1}), coarse);
}
TEST(TableOneTest, CoarseSplitsAfterAFirstPart) {
  EXPECT_EQ(refine(coarse, {0, 7, 1}), Partition::split(n, 8));
}
TEST(TableOneTest, CoarseSplitsBeforeALastPart) {
  EXPECT_EQ(refine(coarse, {7, 23, 1}), Partition::split(n, 7));
}
TEST(TableOneTest, CoarseBecomesBlocks) {
  EXPECT_EQ(refine(coarse, {8, 15, 1}), Partition::block(n, 8));
  EXPECT_EQ(refine(coarse, {6, 17, 1}), Partition::block(n, 6));
}
TEST(TableOneTest, CoarseBecomesStrides) {
  EXPECT_EQ(refine(coarse, {1, 22, 3}), Partition::stride(n, 3));
}
TEST(TableOneTest, CoarseBecomesAPrefixInTheFirstQuarter) {
  EXPECT_EQ(refine(coarse, {1, 4, 1}), Partition::prefix(n, 5));
  EXPECT_EQ(refine(coarse, {1, 5, 2}), Partition::prefix(n, 6));
}
TEST(TableOneTest, CoarseBecomesFineOtherwise) {
  EXPECT_EQ(refine(coarse, {7, 15, 1}), fine);
  EXPECT_EQ(refine(coarse, {0, 20, 5}), fine);  // 5 does not divide 24
  EXPECT_EQ(refine(coarse, {2, 10, 4}), fine);  // does not go to the end
}
// --- BLOCK
TEST(TableOneTest, BlocksGetSmaller) {
  const Partition eights = Partition::block(n, 8);
  EXPECT_EQ(refine(eights, {0, 7, 1}), eights);
  EXPECT_EQ(refine(eights, {0, 23, 1}), eights);
  EXPECT_EQ(refine(eights, {4, 7, 1}), Partition::block(n, 4));
  EXPECT_EQ(refine(eights, {2, 3, 1}), Partition::block(n, 2));
}
TEST(TableOneTest, BlocksOfOneAreFine) {
  EXPECT_EQ(refine(Partition::block(n, 8), {3, 7, 1}), fine);
  EXPECT_EQ(refine(Partition::block(n, 8), {0, 22, 2}), fine);
}
// --- SPLIT
TEST(TableOneTest, SplitStaysForItsParts) {
  const Partition p = Partition::split(n, 9);
  EXPECT_EQ(refine(p, {0, 8, 1}), p);
  EXPECT_EQ(refine(p, {9, 23, 1}), p);
  EXPECT_EQ(refine(p, {0, 23, 1}), p);
}
TEST(TableOneTest, SplitBecomesBlocks) {
  EXPECT_EQ(refine(Partition::split(n, 8), {8, 15, 1}), Partition::block(n, 8));
  EXPECT_EQ(refine(Partition::split(n, 12), {4, 7, 1}), Partition::block(n, 4));
}
TEST(TableOneTest, SplitBecomesAPrefixInTheFirstQuarter) {
  EXPECT_EQ(refine(Partition::split(n, 3), {1, 4, 1}), Partition::prefix(n, 5));
  EXPECT_EQ(refine(Partition::split(n, 5), {1, 1, 1}), Partition::prefix(n, 6));
}
TEST(TableOneTest, SplitBecomesFineOtherwise) {
  EXPECT_EQ(refine(Partition::split(n, 9), {4, 20, 1}), fine);
}
// --- STRIDE
TEST(TableOneTest, StridesGetWider) {
  EXPECT_EQ(refine(Partition::stride(n, 2), {0, 21, 3}), Partition::stride(n, 6));
  EXPECT_EQ(refine(Partition::stride(n, 4), {1, 23, 2}), Partition::stride(n, 4));
  EXPECT_EQ(refine(Partition::stride(n, 4), {0, 23, 1}), Partition::stride(n, 4));
}
TEST(TableOneTest, StridesBecomeFineOtherwise) {
  EXPECT_EQ(refine(Partition::stride(n, 3), {0, 20, 5}), fine);
  EXPECT_EQ(refine(Partition::stride(n, 2), {0, 11, 1}), fine);
}
// --- PREFIX
TEST(TableOneTest, APrefixStaysForTheRest) {
  EXPECT_EQ(refine(Partition::prefix(n, 4), {4, 23, 1}), Partition::prefix(n, 4));
  EXPECT_EQ(refine(Partition::prefix(n, 4), {2, 23, 1}), Partition::prefix(n, 4));
}
TEST(TableOneTest, APrefixStaysForWhatIsInside) {
  EXPECT_EQ(refine(Partition::prefix(n, 4), {1, 3, 2}), Partition::prefix(n, 4));
}
TEST(TableOneTest, APrefixDoubles) {
  EXPECT_EQ(refine(Partition::prefix(n, 4), {2, 6, 1}), Partition::prefix(n, 12));
}
TEST(TableOneTest, APrefixBecomesFineOtherwise) {
  EXPECT_EQ(refine(Partition::prefix(n, 4), {2, 12, 1}), fine);
}

// --- all partitions of arrays up to 16 elements, all footprints
std::vector<Partition> partitions_of(u64 size) {
  std::vector<Partition> all{Partition::coarse(size), Partition::fine(size)};
  for (u64 d = 2; d < size; ++d)
    if (size % d == 0) {
      all.push_back(Partition::block(size, d));
      all.push_back(Partition::stride(size, d));
    }
  for (u64 i = 1; i < size; ++i) {
    all.push_back(Partition::split(size, i));
    all.push_back(Partition::prefix(size, i));
  }
  return all;
}

void check_refinement(const Partition& p, const IndexRange& f) {
  const Partition to = refine(p, f);
  std::set<u64> in_f, parts;
  for (u64 i = f.b; i <= f.e; i += f.k) in_f.insert(i);
  for_each_part(to, f, [&](u64 part) { EXPECT_TRUE(parts.insert(part).second); });
  for (u64 i = 0; i < p.n; ++i) {
    ASSERT_LT(to.part_of(i), to.parts());
    // Sufficiently precise: f is the union of the parts named.
    ASSERT_EQ(parts.count(to.part_of(i)), in_f.count(i)) << "index " << i;
    // Each part lies in one of p's.
    for (u64 j = 0; j < i; ++j)
      if (to.part_of(i) == to.part_of(j)) ASSERT_EQ(p.part_of(i), p.part_of(j));
  }
}

TEST(TableOneTest, EveryRefinementIsPreciseEnoughAndRefines) {
  for (u64 size = 2; size <= 16; ++size)
    for (const Partition& p : partitions_of(size))
      for (u64 b = 0; b < size; ++b)
        for (u64 e = b; e < size; ++e)
          for (u64 k = 1; k <= (e > b ? e - b : 1); ++k) {
            if ((e - b) % k != 0) continue;
            SCOPED_TRACE(::testing::PrintToString(p) + " <" + std::to_string(b) + ":" +
                         std::to_string(e) + ":" + std::to_string(k) + ">");
            check_refinement(p, {b, e, k});
            if (HasFatalFailure()) return;
          }
}

TEST(PartitionTest, SmallerElementsAreTheSamePartition) {
  for (u64 size = 2; size <= 12; ++size)
    for (const Partition& p : partitions_of(size)) {
      if (p.form == Form::kFine || p.form == Form::kPrefix || p.form == Form::kStride) continue;
      const Partition small = p.with_smaller_elements(3);
      for (u64 i = 0; i < small.n; ++i) EXPECT_EQ(small.part_of(i), p.part_of(i / 3));
    }
}

}  // namespace
}  // namespace bigfoot::rt
