// The detector against the naive happens-before model, and its rules one by one.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <iostream>
#include <thread>

#include "tests/model/traces.h"
#include "tests/unit/runtime/rendezvous.h"
#include "tests/unit/runtime/scripted_threads.h"

namespace bigfoot::rt::testing {
namespace {

Tables& tables() {
  static Tables t;
  return t;
}

struct DetectorTest : ::testing::Test {
  uptr x = fresh_memory();
  ScriptedThread a{tables(), kNothing, 1};
  ScriptedThread b{tables(), kNothing, 2};
  ScriptedThread c{tables(), kNothing, 3};
  VectorClock lock;
  u64 count(const ScriptedThread& t, Rule r) { return t.rule_counts()[static_cast<usize>(r)]; }
  const std::set<uptr> none;
};

TEST_F(DetectorTest, TwoUnorderedWritesRace) {
  EXPECT_EQ(a.write(x, 4), none);
  EXPECT_EQ(b.write(x, 4), bytes(x, 4));
}

TEST_F(DetectorTest, AReleaseAndAnAcquireOrderThem) {
  EXPECT_EQ(a.write(x, 4), none);
  a.release(lock);
  b.acquire(lock);
  EXPECT_EQ(b.write(x, 4), none);
}

TEST_F(DetectorTest, WhatFollowsTheReleaseIsNotOrdered) {
  a.write(x, 4);
  a.release(lock);
  a.write(x, 4);
  b.acquire(lock);
  EXPECT_EQ(b.write(x, 4), bytes(x, 4));
}

// Nothing recorded between two releases: no time passes, and yet what comes later is later.
TEST_F(DetectorTest, AnEmptyEpochDoesNotCoverWhatFollows) {
  a.release(lock);
  a.release(lock);
  a.write(x, 8);
  b.acquire(lock);
  EXPECT_EQ(b.read(x, 8), bytes(x, 8));
}

TEST_F(DetectorTest, ReadsDoNotRace) {
  EXPECT_EQ(a.read(x, 8), none);
  EXPECT_EQ(b.read(x, 8), none);
  EXPECT_EQ(count(b, Rule::kReadShare), 1u);
}

TEST_F(DetectorTest, AWriteRacesWithEachOfManyReads) {
  a.read(x, 8);
  b.read(x, 8);
  a.release(lock);
  c.acquire(lock);  // ordered after a's read, not after b's
  EXPECT_EQ(c.write(x, 8), bytes(x, 8));
  EXPECT_EQ(count(c, Rule::kWriteShared), 1u);
}

TEST_F(DetectorTest, AWriteAfterAllReadsIsOrdered) {
  a.read(x, 8);
  b.read(x, 8);
  a.release(lock);
  b.release(lock);
  c.acquire(lock);
  EXPECT_EQ(c.write(x, 8), none);
}

TEST_F(DetectorTest, RepeatedAccessesTakeTheSameEpochRules) {
  a.write(x, 8);
  a.write(x, 8);
  a.read(x, 8);
  EXPECT_EQ(count(a, Rule::kWriteSameEpoch), 1u);
  EXPECT_EQ(count(a, Rule::kReadSameEpoch), 1u);
  b.read(x + 8, 8);
  c.read(x + 8, 8);
  b.read(x + 8, 8);
  EXPECT_EQ(count(b, Rule::kReadShared), 1u);
}

// Whether a read is in a set is asked by its slot: few, more than fit into a set's own line, and
// slots beyond those that a set tells apart.
TEST_F(DetectorTest, AReaderFindsItselfAmongMany) {
  for (const int readers : {5, 20, 90}) {
    for (const bool fast : {false, true}) {
      x = fresh_memory();
      std::deque<ScriptedThread> threads;
      for (int i = 0; i < readers; ++i)
        threads.emplace_back(tables(), kNothing, 10 + i).set_fast_path(fast);
      const auto reader = [&](int i) -> ScriptedThread& { return threads[i * 7 % readers]; };
      reader(0).read(x, 8);
      for (int i = 1; i < readers; ++i) {
        reader(i).read(x, 8);
        EXPECT_EQ(count(reader(i), Rule::kReadShare), 1u);
        for (int k = 0; k <= i; ++k) {
          const u64 before = count(reader(k), Rule::kReadShared);
          EXPECT_EQ(reader(k).read(x, 8), none);
          EXPECT_EQ(count(reader(k), Rule::kReadShared), before + 1) << k << " of " << i;
        }
      }
      VectorClock all, but_one;
      for (int i = 0; i < readers; ++i) reader(i).release(i == 3 ? all : but_one);
      reader(3).read(x, 8);  // a new epoch, which the set does not have yet
      EXPECT_EQ(count(reader(3), Rule::kReadShare), 2u);
      all.join(but_one);
      ScriptedThread late(tables(), but_one, 9), last(tables(), all, 8);
      EXPECT_EQ(late.look(x, 8, true), bytes(x, 8));
      EXPECT_EQ(last.look(x, 8, true), bytes(x, 8));
      reader(3).release(all);
      last.acquire(all);
      EXPECT_EQ(last.write(x, 8), none);
    }
  }
}

TEST_F(DetectorTest, AByteSpeaksForItselfOnly) {
  for (uptr i = 0; i < 8; ++i) EXPECT_EQ((i % 2 == 0 ? a : b).write(x + i, 1), none);
  for (uptr i = 0; i < 8; ++i) EXPECT_EQ((i % 2 == 0 ? b : a).read(x + i, 1), bytes(x + i, 1));
}

TEST_F(DetectorTest, AWordWriteMeetsTheBytesInIt) {
  a.write(x + 3, 1);
  b.write(x + 5, 1);
  EXPECT_EQ(b.write(x, 8), bytes(x + 3, 1));
  EXPECT_EQ(c.read(x + 6, 2), bytes(x + 6, 2));  // the word is one again, written by b
}

TEST_F(DetectorTest, HistorySurvivesSplitting) {
  a.write(x, 8);
  EXPECT_EQ(b.read(x + 4, 4), bytes(x + 4, 4));
  EXPECT_EQ(c.read(x, 1), bytes(x, 1));
  EXPECT_EQ(c.write(x + 4, 2), bytes(x + 4, 2));
}

// Programs that read a page of bytes read halves and quarters of its words, too.
TEST_F(DetectorTest, APieceIsSettledByThePartsItConsistsOf) {
  a.set_fast_path(true);
  for (usize size : {2, 4}) {
    x = fresh_memory();
    for (usize i = 0; i < size; ++i) EXPECT_EQ(a.read(x + i, 1), none);
    const u64 by_rules = count(a, Rule::kReadSameEpoch);
    EXPECT_EQ(a.read(x, size), none);
    EXPECT_EQ(count(a, Rule::kReadSameEpoch), by_rules);
    EXPECT_EQ(b.write(x, size), bytes(x, size));
  }
}

TEST_F(DetectorTest, APieceIsNotSettledByAllButOneOfItsParts) {
  a.set_fast_path(true);
  for (bool writes : {false, true})
    for (usize size : {2, 4})
      for (usize missing = 0; missing < size; ++missing) {
        x = fresh_memory();
        for (usize i = 0; i < size; ++i)
          if (i != missing) writes ? a.write(x + i, 1) : a.read(x + i, 1);
        EXPECT_EQ(writes ? a.write(x, size) : a.read(x, size), none);
        EXPECT_EQ(b.write(x + missing, 1), bytes(x + missing, 1)) << size << ", " << missing;
      }
}

// A cell may speak for several accesses side by side: a report names one that has these bytes.
TEST_F(DetectorTest, ALookTellsOfNoMoreThanTheBytesAskedFor) {
  a.write(x, 8);
  EXPECT_EQ(b.look(x + 4, 4, false), bytes(x + 4, 4));
  x = fresh_memory();
  a.write(x + 1, 6);
  EXPECT_EQ(b.look(x, 4, true), bytes(x + 1, 3));
}

// A handler of the same thread may run between the look at the mark and that at the cells.
TEST_F(DetectorTest, APieceIsNotSettledByPartsThatAHandlerHasMade) {
  b.read(x + 5, 3);
  b.read(x, 4);  // [0,4) [4,5) [5,8)
  b.release(lock);
  a.acquire(lock);
  bool interrupted = false;
  const Parts parts = look_at_parts<4>(x, [&](const Cell* cell) {
    if (!interrupted) a.read(x, 1);
    interrupted = true;
    return load_relaxed(&cell->read) == raw(a.stamp());
  });
  EXPECT_TRUE(interrupted);
  EXPECT_EQ(parts, Parts::kOpen);
}

// In an epoch of its own each time: by the shortcut, part by part.
TEST_F(DetectorTest, APieceMeetsTheHistoryOfEachOfItsParts) {
  b.set_fast_path(true);
  for (bool writes : {false, true})
    for (usize size : {2, 4, 8})
      for (usize racing = 0; racing < size; ++racing) {
        x = fresh_memory();
        for (usize i = 0; i < size; ++i)
          if (i != racing) EXPECT_EQ(b.write(x + i, 1), none);
        a.write(x + racing, 1);
        b.release(lock);
        EXPECT_EQ(writes ? b.write(x, size) : b.read(x, size), bytes(x + racing, 1));
      }
}

// The first access to a part of a word divides it in one step.
TEST_F(DetectorTest, AWordWithoutHistoryIsDividedForTheSizeOfItsFirstAccess) {
  a.set_fast_path(true);
  a.write(x + 3, 1);
  a.read(x + 10, 2);
  a.write(x + 20, 4);
  EXPECT_TRUE(is_masked(load_cell(shadow::cell<8>(x)).write));  // a byte needs no cell of its own
  EXPECT_EQ(load_cell(shadow::cell<8>(x + 8)).write, Division::pieces(2).mark());
  EXPECT_EQ(load_cell(shadow::cell<8>(x + 16)).write, Division::pieces(4).mark());
  EXPECT_EQ(b.write(x, 24),
            (std::set<uptr>{x + 3, x + 10, x + 11, x + 20, x + 21, x + 22, x + 23}));
}

// An access that is about to notice that its word has changed leaves a record behind that belongs
// to nobody, until it takes it back.
TEST_F(DetectorTest, ARecordThatNoPartOwnsIsNoHistoryOfAWordDividedLater) {
  b.set_fast_path(true);
  a.write(x + 64, 1);
  store_cell(shadow::cell<1>(x + 5), written(raw(a.stamp()), 1));
  EXPECT_EQ(b.write(x + 2, 1), none);
  EXPECT_EQ(b.write(x + 5, 1), none);
}

// A write to a run of bytes makes one part of those it covers, and none of the others.
TEST_F(DetectorTest, ARunJoinsTheBytesItCovers) {
  b.set_fast_path(true);
  for (uptr i = 0; i < 8; ++i) a.write(x + i, 1);
  a.release(lock);
  b.acquire(lock);
  EXPECT_EQ(b.write(x + 1, 5), none);
  EXPECT_EQ(load_cell(shadow::cell<8>(x)).write,
            Division::parts(1u | 1u << 1 | 1u << 6 | 1u << 7).mark());
  EXPECT_EQ(a.read(x, 8), bytes(x + 1, 5));
  EXPECT_EQ(b.read(x, 8), none);
}

// A write to many words, of which some are divided: by its size, not by theirs.
TEST_F(DetectorTest, ARangeJoinsTheWordsItCovers) {
  b.set_fast_path(true);
  a.write(x, 1);
  a.write(x + 8, 4);
  a.write(x + 17, 3);
  a.release(lock);
  b.acquire(lock);
  EXPECT_EQ(b.write(x, 24), none);
  for (uptr word = x; word < x + 24; word += 8)
    EXPECT_EQ(load_cell(shadow::cell<8>(word)).write, raw(b.stamp()));
  EXPECT_EQ(c.read(x, 24), bytes(x, 24));
}
TEST_F(DetectorTest, ARangeThatJoinsAWordMeetsEachOfItsParts) {
  b.set_fast_path(true);
  a.write(x + 1, 1);
  b.write(x + 6, 1);
  EXPECT_EQ(b.write(x, 24), bytes(x + 1, 1));
}

TEST_F(DetectorTest, ClearedMemoryHasNoPast) {
  a.write(x, 8);
  a.write(x + 8, 4);
  clear_history({x, 16}, nullptr, nullptr);
  EXPECT_EQ(b.write(x, 8), none);
  EXPECT_EQ(b.write(x + 8, 4), none);
}

TEST_F(DetectorTest, ClearingAPartLeavesTheRest) {
  a.write(x, 8);
  clear_history({x + 2, 3}, nullptr, nullptr);
  EXPECT_EQ(b.write(x, 8), (std::set<uptr>{x, x + 1, x + 5, x + 6, x + 7}));
}

// The inlined test of a read looks at the read word alone.
TEST_F(DetectorTest, AWriteCountsAsARead) {
  a.write(x, 8);
  a.write(x + 8, 2);
  EXPECT_EQ(shadow::cell<8>(x)->read, raw(a.stamp()));
  EXPECT_EQ(shadow::cell<2>(x + 8)->read, raw(a.stamp()));
  a.write(x + 8, 8);  // joins the pieces
  EXPECT_EQ(shadow::cell<8>(x + 8)->read, raw(a.stamp()));
  EXPECT_EQ(b.write(x, 8), bytes(x, 8));
}

TEST_F(DetectorTest, OrderedHistoryMayBeForgottenPieceByPiece) {
  a.write(x, 8);
  a.read(x + 8, 4);
  b.read(x + 8, 4);
  a.write(x + 16, 1);
  mark_sync(x + 16);
  forget_ordered<8>(x);
  forget_ordered<4>(x + 8);
  forget_ordered<8>(x + 16);
  EXPECT_EQ(c.write(x, 8), none);
  EXPECT_EQ(c.write(x + 8, 4), none);
  EXPECT_EQ(c.write(x + 16, 1), none);
  EXPECT_TRUE(shadow::cell<8>(x + 16)->has_sync());
  unmark_sync(x + 16);
}

// Instrumented code tests a cell without asking its word: after a clear no cell may match.
TEST_F(DetectorTest, TheInlinedTestDoesNotSeeThePastOfClearedMemory) {
  a.set_fast_path(true);
  a.write(x, 4);
  clear_history({x, 8}, nullptr, nullptr);
  a.write(x, 4);
  EXPECT_EQ(b.write(x, 4), bytes(x, 4));
}

TEST_F(DetectorTest, MovedMemoryTakesItsPastAlong) {
  uptr y = fresh_memory();
  a.write(x, 8);
  a.write(x + 8, 1);
  move_history(x, y, 16, kNoObjects);
  EXPECT_EQ(b.write(x, 8), none);
  EXPECT_EQ(b.read(y, 8), bytes(y, 8));
  EXPECT_EQ(b.read(y + 8, 4), bytes(y + 8, 1));
}

TEST_F(DetectorTest, CopiedMemoryHasTwoPasts) {
  uptr y = fresh_memory();
  a.write(x, 8);
  copy_history(x, y, 8, kNoObjects);
  EXPECT_EQ(b.read(x, 8), bytes(x, 8));
  EXPECT_EQ(b.read(y, 8), bytes(y, 8));
}

TEST_F(DetectorTest, HistoryMovesByBytesWhereAlignmentsDiffer) {
  uptr y = fresh_memory() + 3;
  a.write(x + 4, 4);
  move_history(x, y, 8, kNoObjects);
  EXPECT_EQ(b.write(y, 4), none);
  EXPECT_EQ(b.read(y + 4, 1), bytes(y + 4, 1));
  EXPECT_EQ(b.read(y + 7, 1), bytes(y + 7, 1));
  EXPECT_EQ(b.write(y + 8, 1), none);
}

TEST_F(DetectorTest, MovingOverlapsLikeMemmove) {
  a.write(x, 8);
  b.write(x + 8, 8);
  move_history(x, x + 8, 16, kNoObjects);
  EXPECT_EQ(c.read(x, 8), none);
  EXPECT_EQ(b.read(x + 8, 8), bytes(x + 8, 8));    // a's write, moved
  EXPECT_EQ(a.read(x + 16, 8), bytes(x + 16, 8));  // b's write, moved
}

TEST_F(DetectorTest, AThousandTicksKeepTheOldAccess) {
  a.write(x, 8);
  for (int i = 0; i < 5000; ++i) {
    a.write(x + 64, 8);
    a.release(lock);
  }
  EXPECT_EQ(b.read(x, 8), bytes(x, 8));
}

// A slot handed on: the new thread is ordered after the old one, others are not.
TEST_F(DetectorTest, AReusedSlotDoesNotHideARace) {
  VectorClock end;
  Slot first;
  {
    ScriptedThread old(tables(), kNothing, 7);
    old.write(x, 8);
    first = tables().stamps.decode(old.stamp()).slot;
    old.release(end);
  }
  ScriptedThread next(tables(), end, 8);
  ASSERT_EQ(tables().stamps.decode(next.stamp()).slot, first);
  EXPECT_EQ(next.write(x, 8), none);
  EXPECT_EQ(b.write(x, 8), bytes(x, 8));
}

TEST_F(DetectorTest, ASlotIsNotReusedByAnUnorderedThread) {
  Slot first;
  {
    ScriptedThread old(tables(), kNothing, 7);
    old.write(x, 8);
    first = tables().stamps.decode(old.stamp()).slot;
  }
  ScriptedThread stranger(tables(), kNothing, 8);
  EXPECT_NE(tables().stamps.decode(stranger.stamp()).slot, first);
  EXPECT_EQ(stranger.write(x, 8), bytes(x, 8));
}

// Check and update are one step: of two threads that access the same piece without order, at least
// one sees the other, whatever the interleaving. Many short rounds, both ways through the detector.
// Each begins with words split by an earlier access, ordered before both, of the other one's size:
// a larger access joins them under its hands.
//
enum class Words { kDivided, kBlank };

void meet(bool fast_path, usize bytes_of_one, usize bytes_of_other, Words words = Words::kDivided) {
  constexpr usize kWords = 16;
  constexpr int kRounds = 4000;
  uptr base = fresh_memory();
  ScriptedThread earlier(tables(), kNothing, 22);
  VectorClock ordered;
  auto prepare = [&] {
    clear_history({base, kWords * 8}, nullptr, nullptr);
    for (usize i = 0; i < kWords && words == Words::kDivided; ++i)
      earlier.write(base + i * 8, bytes_of_other);
    earlier.release(ordered);
  };
  prepare();
  std::set<uptr> found[2];
  Rendezvous together;
  auto one_side = [&](int side, usize bytes) {
    ScriptedThread me(tables(), kNothing, 20 + side);
    me.set_fast_path(fast_path);
    for (int round = 0; round < kRounds; ++round) {
      together.arrive_and_wait();
      me.acquire(ordered);
      for (usize i = 0; i < kWords; ++i) {
        usize word = side == 0 ? i : kWords - 1 - i;  // so that they are sure to cross
        found[side].merge(me.write(base + word * 8, bytes));
      }
      together.arrive_and_wait();
      if (side == 1) continue;
      std::set<uptr> all;
      all.merge(found[0]);
      all.merge(found[1]);
      for (usize i = 0; i < kWords; ++i)
        EXPECT_TRUE(all.count(base + i * 8)) << "round " << round << ", word " << i;
      prepare();
    }
  };
  std::thread other([&] { one_side(1, bytes_of_other); });
  one_side(0, bytes_of_one);
  other.join();
}

TEST(DetectorThreads, TwoRacingThreadsCannotBothMiss) {
  for (bool fast_path : {false, true})
    for (usize bytes : {1, 8}) meet(fast_path, bytes, bytes);
}
TEST(DetectorThreads, NorIfTheySplitAndJoinTheWord) {
  for (bool fast_path : {false, true})
    for (usize bytes : {1, 4}) meet(fast_path, 8, bytes);
}

TEST(DetectorThreads, NorIfTheyCutItElsewhere) {
  for (bool fast_path : {false, true})
    for (usize bytes : {3, 5, 8})
      for (usize other : {3, 6}) meet(fast_path, bytes, other);
}

TEST(DetectorThreads, NorIfAPieceOfOneIsInPartsOfTheOther) {
  for (usize bytes : {2, 4})
    for (usize other : {1, 2, 3}) meet(true, bytes, other);
}

TEST(DetectorThreads, NorIfARangeJoinsTheWord) {
  for (usize other : {1, 3, 4}) meet(true, 16, other);
}

TEST(DetectorThreads, NorIfTheWordHasNoHistory) {
  for (usize bytes : {1, 5, 8})
    for (usize other : {1, 3}) meet(true, bytes, other, Words::kBlank);
}

// Threads that divide the same words at the same time, each for a byte of its own: nobody's record
// is lost, and nobody speaks for another's byte.
TEST(DetectorThreads, ThreadsThatFillAWordTogetherDoNotRace) {
  constexpr uptr kWords = 20000;
  const uptr base = 0x70000000;
  std::set<uptr> racy[2];
  Rendezvous together;
  auto fill = [&](int side) {
    ScriptedThread me(tables(), kNothing, 24 + side);
    me.set_fast_path(true);
    together.arrive_and_wait();
    for (uptr word = base; word < base + kWords * 8; word += 8)
      for (uptr i = static_cast<uptr>(side); i < 8; i += 2) racy[side].merge(me.write(word + i, 1));
  };
  std::thread other([&] { fill(1); });
  fill(0);
  other.join();
  EXPECT_TRUE(racy[0].empty() && racy[1].empty());
  ScriptedThread late(tables(), kNothing, 26);
  for (uptr word = base; word < base + kWords * 8; word += 8)
    ASSERT_EQ(late.write(word, 8).size(), 8u) << word;
}

// An atomic access looks at words that another thread divides meanwhile. Whenever it looks, before,
// after or in between, the verdict is the same.
class LookTest : public ::testing::Test {
 protected:
  static constexpr uptr kWords = 150000;
  // Divides word after word; meanwhile the calling thread looks at the one that is next.
  template <class Divide, class Look>
  void look_while_dividing(Divide divide, Look tells_the_truth) {
    std::atomic<uptr> next = x;
    std::thread other([&] {
      for (uptr word = x; word < end; word += 8) {
        next.store(word, std::memory_order_relaxed);
        divide(word);
      }
      next = end;
    });
    uptr wrong = 0;
    for (uptr word; (word = next.load(std::memory_order_relaxed)) != end;)
      wrong += tells_the_truth(word) ? 0 : 1;
    other.join();
    EXPECT_EQ(wrong, 0u);
  }
  static uptr fresh_words() {
    static uptr at = 0x40000000;
    return at += kWords * 8;
  }
  const uptr x = fresh_words(), end = x + kWords * 8;
  ScriptedThread writer{tables(), kNothing, 22};
  ScriptedThread looker{tables(), kNothing, 20};
  ScriptedThread divider{tables(), kNothing, 21};
};

TEST_F(LookTest, AnAccessIsFoundWhileItsWordIsDividedMore) {
  for (uptr a = x; a < end; a += 4) writer.write(a, 4);
  divider.acquire(writer.knows());
  look_while_dividing([&](uptr word) { divider.read(word, 1); },
                      [&](uptr word) { return !looker.look(word + 4, 4, false).empty(); });
}
TEST_F(LookTest, APartThatShrinksDoesNotSpeakForWhatItWas) {
  for (uptr word = x; word < end; word += 8) {
    writer.write(word, 3);
    writer.write(word + 3, 5);
  }
  divider.acquire(writer.knows());
  looker.acquire(writer.knows());
  look_while_dividing([&](uptr word) { divider.write(word + 3, 2); },
                      [&](uptr word) { return looker.look(word + 5, 2, true).empty(); });
}

// --- random traces
// -----------------------------------------------------------------------------------

// FastTrack promises the first race of each history exactly; of bytes that have raced it promises
// nothing more.
bool differs(const std::vector<model::Event>& trace, uptr base, usize bytes, bool fast_path) {
  const usize blocks = (bytes + shadow::kClaimBytes - 1) & ~(shadow::kClaimBytes - 1);
  clear_history({base, blocks}, nullptr, nullptr);
  model::HappensBefore oracle;
  ScriptedRun run(tables(), fast_path);
  for (const model::Event& e : trace) {
    std::set<uptr> raced;
    for (uptr b = e.address; b < e.address + e.size; ++b)
      if (oracle.has_raced(b)) raced.insert(b);
    std::set<uptr> expected = oracle.step(e), found = run.step(e);
    for (uptr b : raced) expected.erase(b), found.erase(b);
    if (found != expected) return true;
  }
  return false;
}

void compare_many(model::TraceShape shape, int traces, u64 seed, bool fast_path) {
  std::mt19937_64 random(seed);
  shape.base = fresh_memory();
  for (int i = 0; i < traces; ++i) {
    std::vector<model::Event> trace = model::random_trace(random, shape);
    auto fails = [&](const std::vector<model::Event>& t) {
      return differs(t, shape.base, shape.bytes, fast_path);
    };
    if (!fails(trace)) continue;
    FAIL() << "seed " << seed << ", trace " << i << ", base " << shape.base << "\n"
           << model::to_text(model::shrink(trace, fails));
  }
}

u64 seed_for_run() {
  u64 seed = 20240229;
  if (const char* s = std::getenv("BIGFOOT_TEST_SEED")) seed = std::strtoull(s, nullptr, 10);
  std::cout << "seed " << seed << " (set BIGFOOT_TEST_SEED to change)\n";
  return seed;
}

TEST(DetectorModel, NaturalAccesses) {
  compare_many({}, 4000, seed_for_run(), false);
}
TEST(DetectorModel, NaturalAccessesWithTheInlinedTest) {
  compare_many({}, 4000, seed_for_run(), true);
}
TEST(DetectorModel, AnyRuns) {
  model::TraceShape shape;
  shape.natural = false;
  compare_many(shape, 3000, seed_for_run() + 1, true);
}
TEST(DetectorModel, HistoryThatIsCopiedAndMoved) {
  model::TraceShape shape;
  shape.bytes = 48;
  shape.transfers = true;
  for (bool natural : {true, false}) {
    shape.natural = natural;
    compare_many(shape, 4000, seed_for_run() + 3, true);
  }
}
TEST(DetectorModel, ManyThreadsFewBytes) {
  model::TraceShape shape;
  shape.threads = 8;
  shape.bytes = 8;
  shape.events = 120;
  compare_many(shape, 2000, seed_for_run() + 2, true);
}

}  // namespace
}  // namespace bigfoot::rt::testing
