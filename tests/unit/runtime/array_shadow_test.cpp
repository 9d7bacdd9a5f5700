// The shadow of an array, case by case: what a footprint does to its form, and what stays.
#include <gtest/gtest.h>

#include "tests/unit/runtime/scripted_threads.h"

namespace bigfoot::rt::testing {
namespace {

Tables& tables() {
  static Tables t;
  return t;
}
constexpr usize kBytes = 4096;

template <ArrayForms kForms>
struct ArrayTest : ::testing::Test {
  uptr x = fresh_memory();
  ArrayShadow array{};
  ScriptedThread a{tables(), kNothing, 1};
  ScriptedThread b{tables(), kNothing, 2};
  ScriptedThread c{tables(), kNothing, 3};
  VectorClock lock;
  const std::set<uptr> none;
  ArrayTest() { array.start({x, kBytes}, kForms); }
  ~ArrayTest() override { array.release_storage(); }

  Footprint words(usize first, usize end, usize step = 1) {
    return Footprint::run(x + first * 8, x + end * 8, step * 8, 8);
  }
  std::set<uptr> bytes(const Footprint& f) {
    std::set<uptr> s;
    for (usize i = 0; i < f.count(); ++i)
      for (usize k = 0; k < f.width; ++k) s.insert(f.begin + i * f.step + k);
    return s;
  }
  std::set<uptr> write(ScriptedThread& t, const Footprint& f) { return t.commit(array, f, true); }
  std::set<uptr> read(ScriptedThread& t, const Footprint& f) { return t.commit(array, f, false); }
  const Footprint all = words(0, kBytes / 8);
};
using SegmentsTest = ArrayTest<ArrayForms::kSegments>;
using TableTest = ArrayTest<ArrayForms::kTable>;

// The inlined test of a smaller access looks in a plane of its own, also where whole words have one
// history.
TEST_F(SegmentsTest, ElementsAreFoundInTheirPlaneOnceItIsFine) {
  write(a, Footprint::run(x, x + kBytes, 4, 4));
  array.make_fine();
  for (uptr at : {x, x + 4, x + kBytes - 4})
    EXPECT_EQ(load_cell(shadow::cell<4>(at)).write, raw(a.stamp())) << at - x;
  a.set_fast_path(true);
  EXPECT_EQ(a.write(x + 12, 4), none);
  EXPECT_EQ(b.write(x + 12, 4), bytes(Footprint::one(x + 12, 4)));
  EXPECT_EQ(b.read(x + 16, 8), bytes(Footprint::one(x + 16, 8)));
}
TEST_F(SegmentsTest, BytesStayWholeWordsWhenItIsFine) {
  write(a, Footprint::run(x, x + kBytes, 1, 1));
  array.make_fine();
  EXPECT_EQ(load_cell(shadow::cell<8>(x + 8)).write, raw(a.stamp()));
  EXPECT_EQ(b.read(x + 11, 1), bytes(Footprint::one(x + 11, 1)));
}

// A second array, with a history of its own that nobody will ask for.
struct TransferTest : SegmentsTest {
  uptr y = fresh_memory();
  ArrayShadow other{};
  TransferTest() {
    other.start({y, kBytes}, ArrayForms::kSegments);
    // Now here, now there, so that the list's elements move.
    for (usize i : {0, 15, 1, 14, 2, 13, 3, 12})
      c.commit(other, Footprint::one(y + i * 256, 64), true);
    // A segment for each kind: uniform, with a period, read.
    write(a, words(0, 100));
    write(a, words(100, 300, 2));
    read(b, words(300, 512));
  }
  ~TransferTest() override { other.release_storage(); }

  std::set<uptr> conflicts(uptr base) {
    std::set<uptr> all_of_them;
    for (const Footprint& f : {words(0, 100), words(100, 300, 2), words(300, 512)})
      for (uptr address : bytes(f)) all_of_them.insert(address - x + base);
    return all_of_them;
  }
  std::set<uptr> write_all(ScriptedThread& t, ArrayShadow& array_of_its, uptr base) {
    return t.commit(array_of_its, Footprint::one(base, kBytes), true);
  }
};

TEST_F(TransferTest, AMovedHistoryIsTheOtherArraysAlone) {
  const usize locations = array.locations();
  ASSERT_TRUE(array.move_all_to(other));
  EXPECT_TRUE(array.valid() && other.valid());
  EXPECT_EQ(array.locations(), 1u);
  EXPECT_EQ(other.locations(), locations);
  EXPECT_EQ(write_all(c, other, y), conflicts(y));
  EXPECT_EQ(write_all(c, array, x), none);
}
TEST_F(TransferTest, ACopiedHistoryIsThatOfBothAndOfEachAlone) {
  const usize locations = array.locations();
  ASSERT_TRUE(array.copy_all_to(other));
  EXPECT_TRUE(array.valid() && other.valid());
  EXPECT_EQ(array.locations(), locations);
  EXPECT_EQ(other.locations(), locations);
  EXPECT_EQ(write_all(c, other, y), conflicts(y));
  EXPECT_EQ(write_all(c, array, x), conflicts(x));
}
TEST_F(TransferTest, ArraysOfAnotherSizeOrInThePlanesAreLeftAlone) {
  ArrayShadow smaller{};
  smaller.start({fresh_memory(), kBytes / 2}, ArrayForms::kSegments);
  EXPECT_FALSE(array.copy_all_to(smaller));
  EXPECT_FALSE(array.move_all_to(smaller));
  smaller.release_storage();
  other.make_fine();
  EXPECT_FALSE(array.copy_all_to(other));
  EXPECT_FALSE(array.move_all_to(other));
  EXPECT_EQ(write_all(c, array, x), conflicts(x));
}
// What changes of the list have cost is counted for each list: one that begins again owes nothing.
TEST_F(TransferTest, AReplacedHistoryCostsNothingMore) {
  Segments part{};
  ASSERT_TRUE(array.copy(0, kBytes, 0, part));
  other.replace(part);
  c.commit(other, Footprint::one(y, 8), false);
  EXPECT_FALSE(other.fine());
  ASSERT_TRUE(other.move_all_to(array));
  write(b, words(0, 1));
  EXPECT_FALSE(array.fine());
}

TEST_F(SegmentsTest, AWholeArrayIsOneLocation) {
  EXPECT_EQ(write(a, all), none);
  EXPECT_EQ(array.locations(), 1u);
  EXPECT_EQ(write(b, all), bytes(all));
  EXPECT_EQ(array.mode(), ArrayMode::kCoarse);
}
TEST_F(SegmentsTest, ARaceIsFoundAtItsElement) {
  write(a, words(0, 100));
  write(b, words(100, 512));
  EXPECT_EQ(array.locations(), 2u);
  EXPECT_EQ(read(c, words(99, 100)), bytes(words(99, 100)));
}
TEST_F(SegmentsTest, PartsJoinAgain) {
  for (usize i = 0; i < 8; ++i) write(a, words(i * 64, i * 64 + 64));
  a.release(lock);
  b.acquire(lock);
  EXPECT_EQ(write(b, all), none);
  EXPECT_EQ(array.locations(), 1u);
}
// One epoch may come to an element by several ways; the first one is the one that is reported.
TEST_F(SegmentsTest, WhatAnEpochHasSettledIsNotDivided) {
  write(a, all);
  read(a, words(3, 9));
  write(a, words(100, 400, 7));
  EXPECT_EQ(array.locations(), 1u);
}
TEST_F(SegmentsTest, FieldsOfStructsAreClasses) {
  const Footprint first = Footprint::run(x, x + 4080, 24, 8);
  const Footprint second = Footprint::run(x + 8, x + 4080, 24, 16);
  write(a, first);
  write(b, second);
  EXPECT_EQ(array.locations(), 3u + 1u);  // a period of three words, and the rest at the end
  EXPECT_EQ(read(b, first), bytes(first));
  EXPECT_EQ(read(a, second), bytes(second));
}
TEST_F(SegmentsTest, ThreadsThatDivideAnArrayOfStructs) {
  for (usize i = 0; i < 4; ++i) {
    ScriptedThread& t = i % 2 == 0 ? a : b;
    for (usize field : {0, 8, 16, 24})
      EXPECT_EQ(write(t, Footprint::run(x + i * 1024 + field, x + i * 1024 + 1024, 32, 8)), none);
  }
  EXPECT_LE(array.locations(), 16u);
  EXPECT_EQ(read(a, all).size(), 2048u);
}
// A field that lies across two periods as they are counted from the array's start.
TEST_F(SegmentsTest, AClassMayReachOverTheEndOfItsPeriod) {
  const Footprint f = Footprint::run(x + 20, x + 4000, 24, 8);
  write(a, f);
  EXPECT_EQ(write(b, f), bytes(f));
  EXPECT_EQ(write(b, Footprint::run(x + 4, x + 4000, 24, 16)), none);
}
// A row of a matrix by columns, which is a period of its own for each element. The second one has
// 64 cells, the most that a period may have.
TEST_F(SegmentsTest, ElementsFarFromEachOtherAreCutOutOneByOne) {
  const Footprint row = words(3, 512, 65), other = words(1, 512, 64);
  EXPECT_EQ(write(a, row), none);
  EXPECT_EQ(array.locations(), 8 * 2 + 1u);
  EXPECT_EQ(write(b, row), bytes(row));
  EXPECT_EQ(array.locations(), 8 * 2 + 1u);
  EXPECT_EQ(write(c, all), bytes(row));
  EXPECT_EQ(array.locations(), 1u);
  c.release(lock);
  a.acquire(lock);
  EXPECT_EQ(write(a, other), none);
  EXPECT_EQ(array.locations(), 64u);
  EXPECT_EQ(read(b, all), bytes(all));
  EXPECT_TRUE(array.valid());
}
TEST_F(SegmentsTest, NoPatternEndsInThePlanes) {
  std::set<uptr> wrote;
  for (usize i = 0; i < 400; ++i) {
    const Footprint f = words(i * 37 % 512, i * 37 % 512 + 1);
    write(a, f);
    a.release(lock);
    wrote.merge(bytes(f));
  }
  EXPECT_TRUE(array.fine());
  EXPECT_EQ(array.locations(), 512u);
  EXPECT_EQ(read(b, all), wrote);
}
// Few parts, but no pattern in time: each access would cost a commit for ever.
TEST_F(SegmentsTest, AnArrayReadAtRandomGoesToThePlanes) {
  for (usize i = 0; !array.fine() && i < 512; ++i) {
    EXPECT_LE(i, 512 / 16 + 64u);
    read(a, words(i * 37 % 512, i * 37 % 512 + 1));
  }
  EXPECT_TRUE(array.fine());
  EXPECT_EQ(write(b, words(37, 38)), bytes(words(37, 38)));
}

// A mapping of 16 MiB, most of which is never used: a file that may grow.
struct LargeArrayTest : SegmentsTest {
  static constexpr usize kLargeBytes = usize{1} << 24, kInUse = 1024;
  // By when those in use have been read at random often enough: of every commit fifteen units are
  // lost, and the price is that of 64 Ki elements and a bit.
  static constexpr usize kEnough = ((1 << 16) + 1024) / 15 + 1;
  ArrayShadow large{};
  LargeArrayTest() {
    x = 0x60000000;
    large.start({x, kLargeBytes}, ArrayForms::kSegments);
  }
  ~LargeArrayTest() override {
    if (large.fine()) clear_history({x, kLargeBytes}, nullptr, nullptr);
    large.release_storage();
  }
  void read_word(usize i) { a.commit(large, words(i, i + 1), false); }
  usize read_at_random() {
    usize commits = 0;
    for (; commits < kEnough && !large.fine(); ++commits) read_word(commits * 37 % kInUse);
    return commits;
  }
};
TEST_F(LargeArrayTest, WhatIsNotInUseDoesNotKeepItFromThePlanes) {
  EXPECT_GT(read_at_random(), kEnough / 2);  // nor does it go there at once
  EXPECT_TRUE(large.fine());
  EXPECT_EQ(b.commit(large, words(37, 38), true), bytes(words(37, 38)));
}
TEST_F(LargeArrayTest, OneThatIsUsedFromEndToEndIsDearToMove) {
  read_word(kLargeBytes / 8 - 1);
  read_at_random();
  EXPECT_FALSE(large.fine());
  EXPECT_EQ(b.commit(large, words(37, 38), true), bytes(words(37, 38)));
}
TEST_F(LargeArrayTest, HistoryFromElsewhereIsInUse) {
  ArrayShadow other{};
  other.start({x, kLargeBytes}, ArrayForms::kSegments);
  a.commit(other, words(0, kLargeBytes / 8), true);
  ASSERT_TRUE(other.copy_all_to(large));
  read_at_random();
  EXPECT_FALSE(large.fine());
  large.clear(0, kLargeBytes);
  read_word(0);
  Segments part{};
  ASSERT_TRUE(other.copy(kLargeBytes / 2, kLargeBytes, kLargeBytes / 2, part));
  large.replace(part);
  read_at_random();
  EXPECT_FALSE(large.fine());
  other.release_storage();
}

TEST_F(SegmentsTest, ClearedBytesHaveNoPast) {
  write(a, all);
  array.clear(64, 128);
  EXPECT_TRUE(array.valid());
  EXPECT_EQ(write(b, words(8, 16)), none);
  EXPECT_EQ(write(b, words(7, 8)), bytes(words(7, 8)));
}
TEST_F(SegmentsTest, MovingTakesThePastAlong) {
  write(a, words(0, 100));
  const uptr y = fresh_memory();
  array.move_to(y);
  x = y;
  EXPECT_EQ(read(b, words(0, 512)), bytes(words(0, 100)));
}

// A footprint through every form, and back to the elements: no history is lost on the way.
TEST_F(TableTest, GoesThroughTheForms) {
  write(a, all);
  EXPECT_EQ(array.mode(), ArrayMode::kCoarse);
  a.release(lock);
  b.acquire(lock);
  EXPECT_EQ(write(b, words(0, 256)), none);
  EXPECT_EQ(array.mode(), ArrayMode::kSplit);
  EXPECT_EQ(write(b, words(64, 128)), none);  // settled by the epoch
  EXPECT_EQ(array.mode(), ArrayMode::kSplit);
  b.release(lock);
  c.acquire(lock);
  EXPECT_EQ(write(c, words(64, 128)), none);
  EXPECT_EQ(array.mode(), ArrayMode::kBlock);
  EXPECT_EQ(array.locations(), 8u);
  EXPECT_EQ(write(c, words(65, 66)), none);
  EXPECT_EQ(array.mode(), ArrayMode::kBlock);
  c.release(lock);
  EXPECT_EQ(write(c, words(65, 66)), none);
  EXPECT_EQ(array.mode(), ArrayMode::kFine);
  // a has seen nothing of what b and c did: everything that was theirs.
  EXPECT_EQ(read(a, all), bytes(words(0, 256)));
}
// What the epoch has settled is left out of a footprint, and nothing else.
TEST_F(TableTest, TheRestOfAFootprintIsCommittedToTheLastElement) {
  write(a, words(256, 512));
  write(a, all);
  EXPECT_EQ(array.mode(), ArrayMode::kSplit);
  EXPECT_EQ(read(b, words(255, 256)), bytes(words(255, 256)));
}
TEST_F(TableTest, TheRestOfAFootprintIsCommittedFromTheFirstElement) {
  write(a, words(0, 256));
  write(a, all);
  EXPECT_EQ(array.mode(), ArrayMode::kSplit);
  EXPECT_EQ(read(b, words(256, 257)), bytes(words(256, 257)));
}
TEST_F(TableTest, StridesStayApart) {
  write(a, words(0, 512, 2));
  write(b, words(1, 512, 2));
  EXPECT_EQ(array.mode(), ArrayMode::kStride);
  EXPECT_EQ(array.locations(), 2u);
  EXPECT_EQ(read(a, words(1, 512, 4)), bytes(words(1, 512, 4)));
  EXPECT_EQ(array.mode(), ArrayMode::kStride);
  EXPECT_EQ(array.locations(), 4u);
}
TEST_F(TableTest, APrefixIsKeptInThePlanes) {
  write(a, words(1, 5));
  EXPECT_EQ(array.mode(), ArrayMode::kPrefix);
  EXPECT_EQ(array.fine_until(), 40u);
  EXPECT_EQ(write(b, words(0, 1)), none);
  EXPECT_EQ(write(b, words(4, 9)), bytes(words(4, 5)));
  EXPECT_EQ(array.fine_until(), 128u);
  EXPECT_EQ(write(c, words(10, 512)), none);
  EXPECT_EQ(array.mode(), ArrayMode::kPrefix);
  EXPECT_EQ(read(b, words(300, 301)), bytes(words(300, 301)));
}
// Otherwise an access to a word would find its halves in two places.
TEST_F(TableTest, APrefixEndsWithAWord) {
  const Footprint halves = Footprint::run(x + 4, x + 12, 4, 4);
  write(a, halves);
  EXPECT_EQ(array.mode(), ArrayMode::kPrefix);
  EXPECT_EQ(array.fine_until(), 16u);
  EXPECT_EQ(write(b, words(1, 2)), bytes(Footprint::one(x + 8, 4)));
  write(a, Footprint::one(x + 17, 1));  // elements are bytes now
  EXPECT_EQ(array.mode(), ArrayMode::kPrefix);
  EXPECT_EQ(array.fine_until(), 40u);  // 2e = 34, and the rest of the word
  EXPECT_EQ(read(b, words(2, 512)), bytes(Footprint::one(x + 17, 1)));
}
TEST_F(TableTest, ElementsBecomeSmallerWhenTheyHaveTo) {
  write(a, words(0, 512, 2));
  EXPECT_EQ(array.mode(), ArrayMode::kStride);
  const Footprint halves = Footprint::run(x + 4, x + kBytes, 16, 4);
  EXPECT_EQ(read(b, halves), bytes(halves));
  EXPECT_EQ(array.mode(), ArrayMode::kStride);
  EXPECT_EQ(array.locations(), 4u);
  const Footprint others = Footprint::run(x + 8, x + kBytes, 16, 8);
  EXPECT_EQ(write(b, others), none);
}

}  // namespace
}  // namespace bigfoot::rt::testing
