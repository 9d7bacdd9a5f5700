#include "frontends/bfj/vm/scheduler.h"

#include <gtest/gtest.h>

#include <semaphore>
#include <thread>

namespace bigfoot::vm {
namespace {

constexpr Actor kMain{Actor::kNobody, 0}, kOther{Actor::kNobody, 1};

class SchedulerTest : public ::testing::Test {
 protected:
  Green& add() {
    Green& g = scheduler.create(kMain, 1);
    scheduler.ready(kMain, g);
    return g;
  }
  Green* next() { return scheduler.next(kMain); }

  Monitor nobody;
  Scheduler scheduler{nobody};
};

TEST_F(SchedulerTest, ThreadsRunInTurn) {
  Green &a = add(), &b = add(), &c = add();
  EXPECT_EQ(next(), &a);
  scheduler.yielded(kMain, a);
  EXPECT_EQ(next(), &b);
  EXPECT_EQ(next(), &c);
  scheduler.yielded(kMain, c);
  scheduler.yielded(kMain, b);
  EXPECT_EQ(next(), &a);
  EXPECT_EQ(next(), &c);
  EXPECT_EQ(next(), &b);
}

TEST_F(SchedulerTest, AThreadIsNotReadyBeforeItIsSaidToBe) {
  Green& parent = add();
  ASSERT_EQ(next(), &parent);
  Green& child = scheduler.create(kMain, 1);
  scheduler.yielded(kMain, parent);
  EXPECT_EQ(next(), &parent) << "the child may not run yet";
  scheduler.ready(kMain, child);
  EXPECT_EQ(next(), &child);
  EXPECT_NE(child.id, parent.id);
}

TEST_F(SchedulerTest, ABlockedThreadWaitsForAChange) {
  Green &a = add(), &b = add();
  const std::uint64_t seen = scheduler.changes(kMain);
  ASSERT_EQ(next(), &a);
  scheduler.blocked(kMain, a, seen);
  ASSERT_EQ(next(), &b);
  scheduler.yielded(kMain, b);
  EXPECT_EQ(next(), &b) << "nothing has changed";
  scheduler.changed(kMain);
  EXPECT_EQ(next(), &a);
}

// The lock is given back after the thread has failed to take it and before it is put aside.
TEST_F(SchedulerTest, AChangeBeforeAThreadIsPutAsideIsNotLost) {
  Green &a = add(), &b = add();
  const std::uint64_t seen = scheduler.changes(kMain);
  ASSERT_EQ(next(), &a);
  ASSERT_EQ(next(), &b);
  scheduler.changed(kMain);
  scheduler.blocked(kMain, a, seen);
  scheduler.yielded(kMain, b);
  EXPECT_EQ(next(), &a);
}

TEST_F(SchedulerTest, TheEndOfAThreadIsAChange) {
  Green &a = add(), &b = add();
  const std::uint64_t seen = scheduler.changes(kMain);
  ASSERT_EQ(next(), &a);
  ASSERT_EQ(next(), &b);
  EXPECT_FALSE(scheduler.has_ended(kMain, b.id));
  scheduler.blocked(kMain, a, seen);
  scheduler.ended(kMain, b);
  EXPECT_TRUE(scheduler.has_ended(kMain, b.id));
  EXPECT_FALSE(scheduler.has_ended(kMain, a.id));
  EXPECT_FALSE(scheduler.has_ended(kMain, 17));
  EXPECT_EQ(next(), &a);
}

TEST_F(SchedulerTest, AllThreadsEndedIsNoDeadlock) {
  Green& a = add();
  ASSERT_EQ(next(), &a);
  scheduler.ended(kMain, a);
  EXPECT_EQ(next(), nullptr);
  EXPECT_FALSE(scheduler.deadlocked());
}

TEST_F(SchedulerTest, AllThreadsPutAsideIsADeadlock) {
  Green &a = add(), &b = add();
  const std::uint64_t seen = scheduler.changes(kMain);
  ASSERT_EQ(next(), &a);
  scheduler.blocked(kMain, a, seen);
  ASSERT_EQ(next(), &b);
  EXPECT_FALSE(scheduler.deadlocked()) << "one of them runs";
  scheduler.blocked(kMain, b, seen);
  EXPECT_EQ(next(), nullptr);
  EXPECT_TRUE(scheduler.deadlocked());
}

TEST_F(SchedulerTest, NobodyRunsAfterTheEndOfTheProgram) {
  Green &a = add(), &b = add();
  ASSERT_EQ(next(), &a);
  ASSERT_EQ(next(), &b);
  scheduler.end_all(kMain, a);
  scheduler.yielded(kMain, b);
  EXPECT_EQ(next(), nullptr);
  EXPECT_FALSE(scheduler.deadlocked());
}

// Says when the other worker has given the scheduler's lock back: it waits, or has returned.
class OtherReleases : public Monitor {
 public:
  void system_release(const Actor& who, const void*) override {
    if (who.worker == kOther.worker && !said_) said.release();
    said_ |= who.worker == kOther.worker;
  }
  std::binary_semaphore said{0};

 private:
  bool said_ = false;  // under the scheduler's lock
};

TEST(Scheduler, AWorkerWithoutAThreadWaitsUntilOneIsGivenBack) {
  OtherReleases other;
  Scheduler s(other);
  Green& a = s.create(kMain, 1);
  s.ready(kMain, a);
  ASSERT_EQ(s.next(kMain), &a);
  Green* got = nullptr;
  std::thread worker([&] { got = s.next(kOther); });
  other.said.acquire();
  s.yielded(kMain, a);
  worker.join();
  EXPECT_EQ(got, &a);
  EXPECT_FALSE(s.deadlocked());
}

TEST_F(SchedulerTest, AThreadThatAlwaysMigratesIsForAnotherWorker) {
  Scheduler s(nobody, /*always_migrate=*/true);
  Green& a = s.create(kMain, 1);
  Green& b = s.create(kMain, 1);
  s.ready(kMain, a);
  ASSERT_EQ(s.next(kMain), &a);
  s.yielded(kMain, a);
  s.ready(kMain, b);
  EXPECT_EQ(s.next(kMain), &b) << "a comes first, but was here last";
  EXPECT_EQ(s.next(kOther), &a);
  EXPECT_EQ(s.migrations(), 1u);
}

// A worker that must not have what is ready waits, though nobody runs: that is no deadlock.
TEST_F(SchedulerTest, AWorkerWaitsForAnotherToTakeWhatItMayNot) {
  Scheduler s(nobody, /*always_migrate=*/true);
  Green& a = s.create(kMain, 1);
  s.ready(kOther, a);
  ASSERT_EQ(s.next(kOther), &a);
  s.yielded(kOther, a);
  Green* got = &a;
  std::thread worker([&] { got = s.next(kOther); });
  Green* mine = s.next(kMain);
  EXPECT_EQ(mine, &a);
  s.ended(kMain, a);
  worker.join();
  EXPECT_EQ(got, nullptr);
  EXPECT_FALSE(s.deadlocked());
}

// The other worker waits, or comes later: the outcome is the same.
TEST_F(SchedulerTest, AWaitingWorkerHearsOfEachWayToEnd) {
  enum Way { kEnds, kEndsAll, kDeadlock };
  for (const Way way : {kEnds, kEndsAll, kDeadlock}) {
    Scheduler s(nobody);
    Green& a = s.create(kMain, 1);
    s.ready(kMain, a);
    ASSERT_EQ(s.next(kMain), &a);
    Green* got = &a;
    std::thread worker([&] { got = s.next(kOther); });
    if (way == kEnds) s.ended(kMain, a);
    if (way == kEndsAll) s.end_all(kMain, a);
    if (way == kDeadlock) s.blocked(kMain, a, s.changes(kMain));
    worker.join();
    EXPECT_EQ(got, nullptr);
    EXPECT_EQ(s.deadlocked(), way == kDeadlock);
    EXPECT_EQ(s.next(kMain), nullptr);
  }
}

}  // namespace
}  // namespace bigfoot::vm
