// The ring of recent synchronisation: what it keeps, what it says it lost, and reading while it is
// written.
#include "runtime/sync/step_log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

namespace bigfoot::rt {
namespace {

SyncStep step(u64 n, StepKind kind = StepKind::kRelease) {
  return {n * 10, n, n * 100, Origin{static_cast<u32>(n)}, kind};
}

class StepLogTest : public ::testing::Test {
 protected:
  void SetUp() override { log->initialise(); }
  std::vector<SyncStep> steps(const StepRing& ring) {
    std::vector<SyncStep> out(StepRing::kSteps);
    out.resize(ring.copy(out.data(), lost));
    return out;
  }
  std::unique_ptr<StepLog> log = std::make_unique<StepLog>();
  u64 lost = 0;
};

TEST_F(StepLogTest, KeepsTheLatestInOrder) {
  StepRing& ring = *log->take(ThreadId{3});
  for (u64 n = 1; n <= StepRing::kSteps + 5; ++n) ring.add(step(n));
  const auto kept = steps(ring);
  ASSERT_EQ(kept.size(), StepRing::kSteps);
  EXPECT_EQ(lost, 5u);
  for (u64 i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(kept[i].clock, i + 6);
    EXPECT_EQ(kept[i].object, (i + 6) * 100);
    EXPECT_EQ(kept[i].where, Origin{static_cast<u32>(i + 6)});
    EXPECT_EQ(kept[i].kind, StepKind::kRelease);
  }
}

TEST_F(StepLogTest, PollingIsOneStep) {
  StepRing& ring = *log->take(ThreadId{3});
  ring.add(step(1));
  for (u64 time = 50; time < 500; ++time) ring.add({time, 2, 200, Origin{7}, StepKind::kAcquire});
  ring.add({500, 2, 200, Origin{8}, StepKind::kAcquire});  // another place is another step
  const auto kept = steps(ring);
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[1].time, 499u);
  EXPECT_EQ(kept[2].where, Origin{8});
}

TEST_F(StepLogTest, RingsOfEndedThreadsAreKeptForAWhileAndThenReused) {
  // More threads at once than are kept, all of which end.
  constexpr u32 kThreads = StepLog::kKeptRings + 40;
  std::vector<StepRing*> rings;
  for (u32 i = 0; i < kThreads; ++i) rings.push_back(log->take(ThreadId{i}));
  for (StepRing* ring : rings) {
    ring->add(step(1));
    log->retire(ring);
  }
  EXPECT_EQ(log->find(ThreadId{0}), nullptr);
  EXPECT_EQ(log->find(ThreadId{39}), nullptr);
  ASSERT_NE(log->find(ThreadId{40}), nullptr);
  EXPECT_EQ(steps(*log->find(ThreadId{40})).size(), 1u);
  // The next thread gets one of those given up, empty.
  StepRing* reused = log->take(ThreadId{kThreads});
  EXPECT_LT(reused - rings[0], kThreads);
  EXPECT_TRUE(steps(*reused).empty());
  EXPECT_NE(log->find(ThreadId{40}), nullptr);
}

// A reader sees whole steps in order, whatever the owner does meanwhile.
TEST_F(StepLogTest, ReadingWhileTheOwnerWrites) {
  StepRing& ring = *log->take(ThreadId{3});
  std::atomic<bool> stop = false;
  std::thread owner([&] {
    for (u64 n = 1; !stop; ++n) ring.add(step(n));
  });
  u64 seen = 0;
  while (lost < 200000) {  // until the owner has gone round many times
    const auto kept = steps(ring);
    for (u64 i = 0; i < kept.size(); ++i) {
      ASSERT_EQ(kept[i].clock, lost + i + 1);
      ASSERT_EQ(kept[i].object, kept[i].clock * 100);
      ASSERT_EQ(kept[i].time, kept[i].clock * 10);
    }
    seen += kept.size();
  }
  stop = true;
  owner.join();
  EXPECT_GT(seen, 0u);
}

}  // namespace
}  // namespace bigfoot::rt
