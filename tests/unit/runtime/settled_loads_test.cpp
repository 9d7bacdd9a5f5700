// When an atomic load need not be done again. Who changes the object meanwhile is scripted: the
// function that reads the value makes the change, before or after it reads.
#include "runtime/context/settled_loads.h"

#include <gtest/gtest.h>

#include <memory>

namespace bigfoot::rt {
namespace {

class SettledLoadsTest : public ::testing::Test {
 protected:
  static constexpr uptr kAt = 0x7000'0000'1000;
  static constexpr Clock kNow = 5;
  static constexpr SettledLoad kRelaxed{kAt, 4, false}, kAcquire{kAt, 4, true};

  void add(const SettledLoad& l, Clock time = kNow) {
    SpinGuard guard(table_->bucket(l.address).lock);
    loads_.add(l, time, *table_);
  }
  bool settled(const SettledLoad& l, Clock time = kNow) const {
    return loads_.settle(l, time, *table_, [] {});
  }
  // As a store does: the count goes up, then the value changes.
  void store(u32 v) {
    SyncTable::Bucket& bucket = table_->bucket(kAt);
    SpinGuard guard(bucket.lock);
    bucket.changes_now();
    value_ = v;
  }
  // An object at `address`, as somebody makes who works on it.
  void make(uptr address) {
    bool created;
    table_->bucket(address).get(address, created);
    ASSERT_TRUE(created);
  }

  std::unique_ptr<SyncTable> table_ = std::make_unique<SyncTable>();
  SettledLoads loads_{};
  u32 value_ = 0;
};

TEST_F(SettledLoadsTest, NothingAtFirst) {
  EXPECT_FALSE(settled(kRelaxed));
  EXPECT_FALSE(loads_.settle({0, 1, false}, 1, *table_, [] {}));
}

TEST_F(SettledLoadsTest, TheSameAgain) {
  add(kRelaxed);
  EXPECT_TRUE(settled(kRelaxed));
  EXPECT_TRUE(settled(kRelaxed));
}

TEST_F(SettledLoadsTest, WhatWasPutAsideIsNotLearnt) {
  add(kRelaxed);
  EXPECT_FALSE(settled(kAcquire));
  add(kAcquire);
  EXPECT_TRUE(settled(kAcquire));
  EXPECT_TRUE(settled(kRelaxed));
}

TEST_F(SettledLoadsTest, AnotherEpochRecordsAnew) {
  add(kAcquire);
  EXPECT_FALSE(settled(kAcquire, kNow + 1));
  EXPECT_FALSE(settled(kAcquire, kNow - 1));
}

TEST_F(SettledLoadsTest, ALargerLoadOrAnotherPlaceIsAnother) {
  add(kAcquire);
  EXPECT_TRUE(settled({kAt, 2, true}));
  EXPECT_FALSE(settled({kAt, 8, true}));
  EXPECT_FALSE(settled({kAt + 4, 4, true}));  // the same bucket
}

TEST_F(SettledLoadsTest, AfterAStoreItIsDoneAgain) {
  add(kAcquire);
  store(1);
  EXPECT_FALSE(settled(kAcquire));
  add(kAcquire);
  EXPECT_TRUE(settled(kAcquire));
}

// The value is the store's, whose clock has not been learnt.
TEST_F(SettledLoadsTest, AStoreBeforeTheValueIsRead) {
  add(kAcquire);
  u32 seen = 0;
  EXPECT_FALSE(loads_.settle(kAcquire, kNow, *table_, [&] {
    store(1);
    seen = value_;
  }));
  EXPECT_EQ(seen, 1u);
}

// The store has announced itself and not stored yet: its value may be what the next look finds.
TEST_F(SettledLoadsTest, AStoreThatHasBegun) {
  add(kAcquire);
  SyncTable::Bucket& bucket = table_->bucket(kAt);
  SpinGuard guard(bucket.lock);
  bucket.changes_now();
  EXPECT_FALSE(settled(kAcquire));
}

// The count is taken under the lock at the end of the load, not at its beginning.
TEST_F(SettledLoadsTest, ChangesBeforeTheLoadWasDoneDoNotMatter) {
  store(1);
  add(kAcquire);
  EXPECT_TRUE(settled(kAcquire));
}

// An object that goes takes the entry of the load with it; what comes to its place has none.
TEST_F(SettledLoadsTest, ObjectsThatGoOrCome) {
  make(kAt);
  add(kAcquire);
  table_->bucket(kAt).remove(kAt);
  EXPECT_FALSE(settled(kAcquire));

  make(kAt);
  add(kAcquire);
  table_->bucket(kAt).remove_word(kAt);
  EXPECT_FALSE(settled(kAcquire));

  make(kAt);
  add(kAcquire);
  SyncVar* moving = nullptr;
  table_->bucket(kAt).take({kAt, 8}, moving);
  ASSERT_NE(moving, nullptr);
  EXPECT_FALSE(settled(kAcquire));

  add(kAcquire);
  table_->bucket(kAt).put(moving);
  EXPECT_FALSE(settled(kAcquire));

  // A copy leaves the original as it was.
  add(kAcquire);
  SyncVar* twin = nullptr;
  table_->bucket(kAt).copy({kAt, 8}, twin);
  ASSERT_NE(twin, nullptr);
  EXPECT_TRUE(settled(kAcquire));
  SyncTable::Bucket::destroy(twin);
}

}  // namespace
}  // namespace bigfoot::rt
