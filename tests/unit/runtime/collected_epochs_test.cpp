// What is kept of epochs, slots and their owners is given up when nothing mentions it any more.
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
    slots.forget_unmentioned(stamps);
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

// --- slots

class CollectedSlots : public CollectedEpochs {
 protected:
  // A thread that ends after so many epochs, all of which recorded something and were told to
  // nobody. Returns their names.
  struct Ended {
    Slot slot;
    std::vector<Stamp> epochs;
  };
  Ended ended_thread(ThreadId id, u32 epochs, const VectorClock& creator = kNothing) {
    SlotLease l{};
    EXPECT_TRUE(slots.take(creator, id, stamps, l));
    Ended done{l.slot, {}};
    for (u32 i = 0;; ++i) {
      done.epochs.push_back(l.stamp);
      if (i + 1 == epochs) break;
      l.stamp = stamps.next(l.stamp, {l.slot, l.clock + i});
    }
    const Clock last = l.clock + epochs - 1;
    slots.retire({l.slot, last}, done.epochs.back(), last);
    return done;
  }
  Slot taken_by(ThreadId id, const VectorClock& creator = kNothing) {
    SlotLease l{};
    EXPECT_TRUE(slots.take(creator, id, stamps, l));
    first_clock = l.clock;
    return l.slot;
  }
  void collect(const std::vector<Stamp>& mentioned) {
    for (Stamp s : mentioned) stamps.mark(s);
    slots.forget_unmentioned(stamps);
    stamps.sweep();
  }
  Clock first_clock = 0;
};

TEST_F(CollectedSlots, ASlotThatNothingMentionsServesAnybody) {
  const Ended old = ended_thread(ThreadId{2}, 3);
  EXPECT_EQ(slots.unexamined(), 1u);
  collect({});
  EXPECT_EQ(slots.unexamined(), 0u);
  EXPECT_EQ(taken_by(ThreadId{3}), old.slot);
  EXPECT_EQ(first_clock, 4u);  // time goes on
}

TEST_F(CollectedSlots, ASlotThatIsMentionedServesWhoKnowsOfThat) {
  const Ended old = ended_thread(ThreadId{2}, 5);
  collect({old.epochs[1]});
  EXPECT_NE(taken_by(ThreadId{3}), old.slot);
  VectorClock knows;
  knows.set(old.slot, 1);
  EXPECT_NE(taken_by(ThreadId{4}, knows), old.slot);
  knows.set(old.slot, 2);
  EXPECT_EQ(taken_by(ThreadId{5}, knows), old.slot);
}

TEST_F(CollectedSlots, WithoutACollectionNothingIsGuessed) {
  const Ended old = ended_thread(ThreadId{2}, 1);
  EXPECT_NE(taken_by(ThreadId{3}), old.slot);
}

TEST_F(CollectedSlots, WhoEndsAfterACollectionIsNotExaminedYet) {
  const Ended old = ended_thread(ThreadId{2}, 1);
  collect({});
  VectorClock creator;
  const Ended next = ended_thread(ThreadId{3}, 1, creator);
  EXPECT_EQ(next.slot, old.slot);
  EXPECT_NE(taken_by(ThreadId{4}), old.slot);
}

TEST_F(CollectedSlots, AMentionedEpochHasItsOwner) {
  const Ended first = ended_thread(ThreadId{2}, 2);
  VectorClock knows;
  knows.set(first.slot, 2);
  const Ended second = ended_thread(ThreadId{3}, 2, knows);
  ASSERT_EQ(first.slot, second.slot);
  knows.set(first.slot, 4);
  const Ended third = ended_thread(ThreadId{4}, 2, knows);
  collect({first.epochs[1], third.epochs[0]});
  EXPECT_EQ(slots.owner_at(stamps.decode(first.epochs[1])), ThreadId{2});
  EXPECT_EQ(slots.owner_at(stamps.decode(third.epochs[0])), ThreadId{4});
  std::vector<ThreadId> owners;
  slots.for_each_owner([&](ThreadId id) { owners.push_back(id); });
  EXPECT_EQ(owners, (std::vector<ThreadId>{ThreadId{1}, ThreadId{4}, ThreadId{2}}));
}

// Detached threads for ever: as many slots as end between two collections.
TEST_F(CollectedSlots, SlotsOfThreadsNobodyWaitsForAreBounded) {
  for (u32 i = 0; i < 100'000; ++i) {
    ended_thread(ThreadId{i + 2}, 2);
    if (slots.unexamined() >= 128) collect({});
  }
  EXPECT_LE(slots.count(), 1u + 128);
}

// A search looks at 64 of them; the next one looks at others.
TEST_F(CollectedSlots, EachSlotIsTriedSoonerOrLater) {
  std::vector<Stamp> mentioned;
  for (u32 i = 0; i < 500; ++i) mentioned.push_back(ended_thread(ThreadId{i + 2}, 1).epochs[0]);
  collect(mentioned);
  const Slot last = stamps.decode(mentioned.back()).slot;
  VectorClock knows;
  knows.set(last, 1);
  bool found = false;
  for (u32 i = 0; i < 8; ++i) found |= taken_by(ThreadId{i + 502}, knows) == last;
  EXPECT_TRUE(found);
}

// Those that still are mentioned do not stand in the way of the others.
TEST_F(CollectedSlots, SlotsThatDoNotServeArePassedOver) {
  std::vector<Stamp> mentioned;
  for (u32 i = 0; i < 500; ++i) mentioned.push_back(ended_thread(ThreadId{i + 2}, 1).epochs[0]);
  collect(mentioned);
  const u32 before = slots.count();
  for (u32 i = 0; i < 10'000; ++i) {
    ended_thread(ThreadId{i + 502}, 1);
    if (slots.unexamined() >= 128) collect(mentioned);
  }
  EXPECT_LE(slots.count(), before + 128);
}

}  // namespace
}  // namespace bigfoot::rt::testing
