// What modules say of the types they use, and what follows from all of them.
#include "runtime/context/field_groups.h"

#include <gtest/gtest.h>

#include <memory>

namespace bigfoot::rt::testing {
namespace {

struct FieldGroupsTest : ::testing::Test {
  FieldGroupsTest() { all->initialise(); }
  // A module with one group of one type; its record.
  const FieldGroup* module_with(u64 type, u64 words) {
    abi::FieldGroup group{type, words, nullptr};
    all->add(&group, 1);
    return static_cast<const FieldGroup*>(group.record);
  }
  std::unique_ptr<FieldGroups> all = std::make_unique<FieldGroups>();
};

constexpr u64 kVec = 17, kOther = kVec + 4096;  // of one bucket

TEST_F(FieldGroupsTest, WhatAllModulesCheckTogetherIsAgreed) {
  const FieldGroup* one = module_with(kVec, 0b111);
  EXPECT_EQ(module_with(kVec, 0b111), one);
  module_with(kVec, 0b1000);
  module_with(kOther, 0b001);
  EXPECT_TRUE(one->agreed);
  EXPECT_EQ(all->agreed(), 1u);
}

TEST_F(FieldGroupsTest, AModuleThatChecksAPartEndsTheAgreement) {
  const FieldGroup* all_three = module_with(kVec, 0b111);
  const FieldGroup* two = module_with(kVec, 0b110);  // opened later
  EXPECT_FALSE(all_three->agreed);
  EXPECT_TRUE(two->agreed);  // whoever checks three checks these two
}

TEST_F(FieldGroupsTest, AndSoDoesOneThatWasThereBefore) {
  module_with(kVec, 0b010);
  EXPECT_FALSE(module_with(kVec, 0b111)->agreed);
}

TEST_F(FieldGroupsTest, GroupsThatOverlapEndEachOther) {
  const FieldGroup* low = module_with(kVec, 0b011);
  const FieldGroup* high = module_with(kVec, 0b110);
  EXPECT_FALSE(low->agreed);
  EXPECT_FALSE(high->agreed);
}

TEST_F(FieldGroupsTest, ASiteIsCompleteWithItsLastPiece) {
  abi::FieldGroup group{kVec, 0b111, nullptr};
  all->add(&group, 1);
  abi::GroupSite site{nullptr, nullptr, &group, 2, {{0, 8}, {8, 16}}};
  all->add_piece(site, 0, 0x100);
  EXPECT_EQ(site.record, nullptr);
  all->add_piece(site, 1, 0x200);
  const auto* record = static_cast<const GroupSite*>(site.record);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->bytes, 24u);
  EXPECT_EQ(record->piece_at(7), 0u);
  EXPECT_EQ(record->piece_at(8), 1u);
  EXPECT_EQ(record->piece_at(23), 1u);
  EXPECT_EQ(record->pcs[1], 0x200u);
  EXPECT_EQ(all->site_at(reinterpret_cast<Pc>(record)), record);
  EXPECT_EQ(all->site_at(0x200), nullptr);
}

}  // namespace
}  // namespace bigfoot::rt::testing
