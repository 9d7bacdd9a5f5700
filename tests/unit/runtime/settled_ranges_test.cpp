#include "runtime/context/settled_ranges.h"

#include <gtest/gtest.h>

namespace bigfoot::rt {
namespace {

constexpr Pc kHere = 0x1000;
constexpr Clock kNow = 7;

SettledRange bytes(uptr begin, uptr end) {
  return {begin, end, 1, 1};
}

TEST(SettledRanges, APartOfWhatWasCheckedIsSettled) {
  SettledRanges settled;
  settled.add(kHere, kNow, bytes(100, 200));
  EXPECT_TRUE(settled.contains(kHere, kNow, bytes(100, 200)));
  EXPECT_TRUE(settled.contains(kHere, kNow, bytes(150, 180)));
  EXPECT_FALSE(settled.contains(kHere, kNow, bytes(99, 200)));
  EXPECT_FALSE(settled.contains(kHere, kNow, bytes(100, 201)));
}

TEST(SettledRanges, AnotherEpochOrPlaceHasSettledNothing) {
  SettledRanges settled;
  settled.add(kHere, kNow, bytes(100, 200));
  EXPECT_FALSE(settled.contains(kHere, kNow + 1, bytes(100, 200)));
  // Names of epochs have 31 bits and come again; times do not.
  EXPECT_FALSE(settled.contains(kHere, kNow + (Clock{1} << 32), bytes(100, 200)));
  EXPECT_FALSE(settled.contains(kHere + 4, kNow, bytes(100, 200)));
}

TEST(SettledRanges, AWalkThatGoesOnIsOneRangeAndAGapIsNot) {
  SettledRanges settled;
  settled.add(kHere, kNow, bytes(100, 200));
  settled.add(kHere, kNow, bytes(200, 300));
  EXPECT_TRUE(settled.contains(kHere, kNow, bytes(100, 300)));
  settled.add(kHere, kNow, bytes(301, 400));
  EXPECT_FALSE(settled.contains(kHere, kNow, bytes(299, 302)));
}

TEST(SettledRanges, StridedRangesMustAgreeInPhaseStepAndWidth) {
  SettledRanges settled;
  settled.add(kHere, kNow, {100, 340, 24, 8});
  EXPECT_TRUE(settled.contains(kHere, kNow, {124, 340, 24, 8}));
  EXPECT_FALSE(settled.contains(kHere, kNow, {108, 340, 24, 8}));
  EXPECT_FALSE(settled.contains(kHere, kNow, {100, 340, 24, 16}));
  EXPECT_FALSE(settled.contains(kHere, kNow, {100, 340, 48, 8}));
  EXPECT_FALSE(settled.contains(kHere, kNow, bytes(100, 108)));
}

TEST(SettledRanges, MemoryThatEndsIsForgottenAndItsNeighboursAreNot) {
  SettledRanges settled;
  settled.add(kHere, kNow, bytes(100, 200));
  settled.forget(200 + 1, 300);
  EXPECT_TRUE(settled.contains(kHere, kNow, bytes(100, 200)));
  settled.forget(150, 151);
  EXPECT_FALSE(settled.contains(kHere, kNow, bytes(100, 120)));
}

TEST(SettledRanges, AStridedElementThatReachesOverTheEndCounts) {
  SettledRanges settled;
  settled.add(kHere, kNow, {100, 101, 24, 8});  // one element: bytes 100..107
  settled.forget(104, 110);
  EXPECT_FALSE(settled.contains(kHere, kNow, {100, 101, 24, 8}));
}

}  // namespace
}  // namespace bigfoot::rt
