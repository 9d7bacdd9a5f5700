// What is kept of epochs is given up when nothing mentions it any more.
// Each test marks by hand what a walk over the shadow would have found.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/clock/slots.h"
#include "runtime/sync/lockset.h"
#include "tests/unit/runtime/scripted_threads.h"

namespace bigfoot::rt::testing {
namespace {

constexpr u32 kChunk = StampTable::kChunkStamps;

bool is_present(const void* p) {
  u8 resident = 0;
  auto page = reinterpret_cast<uptr>(p) & ~(sys::kPageBytes - 1);
  sys::resident_pages(reinterpret_cast<void*>(page), 1, &resident);
  return (resident & 1) != 0;
}

// One thread's epochs, each with locks of its own: epoch i has the locks i + 1.
class CollectedEpochs : public ::testing::Test {
 protected:
  CollectedEpochs() {
    stamps.initialise();
    slots.initialise();
    locks.initialise();
    EXPECT_TRUE(slots.take(kNothing, ThreadId{1}, stamps, lease));
    now = lease.stamp;
  }
  void run(u32 epochs) {
    for (u32 i = 0; i < epochs; ++i) {
      names.push_back(now);
      locks.tell(now, LocksetId{static_cast<u32>(names.size())});
      now = stamps.next(now, {lease.slot, lease.clock + names.size() - 1});
      ASSERT_NE(now, kNoStamp);
    }
  }
  void collect(const std::vector<u32>& mentioned, u32 pages = 0) {
    for (u32 i : mentioned) stamps.mark(names[i]);
    locks.sweep(stamps, pages);
    stamps.sweep();
  }
  u32 locks_of(u32 epoch) const { return raw(locks.get(names[epoch])); }

  StampTable stamps;
  SlotTable slots;
  EpochLocks locks;
  SlotLease lease{};
  Stamp now{};
  std::vector<Stamp> names;
};

TEST_F(CollectedEpochs, LocksOfMentionedEpochsAreKept) {
  run(5 * kChunk);
  collect({3, 700, 2 * kChunk, 2 * kChunk + 1023, 5 * kChunk - 1});
  EXPECT_EQ(locks.lists(), 3u);
  EXPECT_FALSE(is_present(locks.page_of(names[3])));
  for (u32 i : {3u, 700u, 2 * kChunk, 2 * kChunk + 1023, 5 * kChunk - 1})
    EXPECT_EQ(locks_of(i), i + 1);
}

TEST_F(CollectedEpochs, AListShrinksWithItsMentionsAndEnds) {
  run(2 * kChunk);
  collect({1, 2, 3, 4, 5, 6});
  collect({2, 5});
  EXPECT_EQ(locks_of(2), 3u);
  EXPECT_EQ(locks_of(5), 6u);
  EXPECT_EQ(locks.lists(), 1u);
  collect({});
  EXPECT_EQ(locks.lists(), 0u);
}

TEST_F(CollectedEpochs, AFullPageStaysAPage) {
  run(2 * kChunk);
  std::vector<u32> all;
  for (u32 i = 0; i < kChunk; ++i) all.push_back(i);
  collect(all);
  EXPECT_EQ(locks.lists(), 0u);
  for (u32 i = 0; i < kChunk; i += 97) EXPECT_EQ(locks_of(i), i + 1);
}

TEST_F(CollectedEpochs, NamesAreGivenOutAgainWithFreshTimeAndLocks) {
  run(2 * kChunk);
  collect({kChunk + 1});
  const u32 first = static_cast<u32>(names.size());
  run(2 * kChunk);  // through what is open, and into the chunk that was given back
  bool reused = false;
  for (u32 i = first; i < names.size(); ++i) {
    reused |= names[i] == names[0];
    EXPECT_EQ(locks_of(i), i + 1);
    EXPECT_EQ(stamps.decode(names[i]).clock, lease.clock + i);
  }
  EXPECT_TRUE(reused);
  EXPECT_EQ(locks_of(kChunk + 1), kChunk + 2);
}

// However many epochs there are: the chunks in use are those that were opened since.
TEST_F(CollectedEpochs, TimePassesInBoundedMemory) {
  const u32 before = stamps.chunks_left();
  for (int round = 0; round < 50; ++round) {
    run(4 * kChunk);
    collect({static_cast<u32>(names.size()) - 1});
  }
  EXPECT_GE(stamps.chunks_left(), before - 2);
  usize pages = 0;
  for (u32 i = 0; i < names.size(); i += kChunk) pages += is_present(locks.page_of(names[i]));
  EXPECT_LT(pages, names.size() / kChunk);
}

TEST_F(CollectedEpochs, PagesThatAreNotUsedSoonGoBack) {
  run(8 * kChunk);
  collect({}, 2);
  EXPECT_TRUE(is_present(locks.page_of(names[0])));
  EXPECT_TRUE(is_present(locks.page_of(names[kChunk])));
  EXPECT_FALSE(is_present(locks.page_of(names[3 * kChunk])));
  EXPECT_FALSE(is_present(locks.page_of(names[6 * kChunk])));
}

}  // namespace
}  // namespace bigfoot::rt::testing
