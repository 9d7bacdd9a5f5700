// Sets of reads that are a cell's own: a thread's later read takes the place of its entry.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "tests/unit/runtime/rendezvous.h"
#include "tests/unit/runtime/scripted_threads.h"

namespace bigfoot::rt::testing {
namespace {

Tables& tables() {
  static Tables t;
  return t;
}

// Threads know of everything that was before the test, so that they use the same few slots: sets
// are a cell's own only with such.
const VectorClock& beginning() {
  return tables().ended;
}
struct Clock : VectorClock {
  Clock() { assign(beginning()); }
  ~Clock() { release_storage(); }
};

const std::set<uptr> none;

u32 read_word_at(uptr a) {
  return load_cell(shadow::cell<8>(a)).read;
}

// `a` and `b` read the same bytes without order, `a` twice, with a release in between. Afterwards
// `before` knows of these reads, and the next ones are of other epochs.
void make_own_set(ScriptedThread& a, ScriptedThread& b, uptr x, usize size, VectorClock& before) {
  Clock nobodys;
  EXPECT_EQ(a.read(x, size), none);
  EXPECT_EQ(b.read(x, size), none);
  a.release(nobodys);
  EXPECT_EQ(a.read(x, size), none);
  a.release(before);
  b.release(before);
}

// Both ways of an access: by the shortcut, and by the full rules alone.
struct ReadSetsTest : ::testing::TestWithParam<bool> {
  ReadSetsTest() {
    for (ScriptedThread* t : {&a, &b, &c}) t->set_fast_path(GetParam());
  }
  uptr x = fresh_memory();
  ScriptedThread a{tables(), beginning(), 1};
  ScriptedThread b{tables(), beginning(), 2};
  ScriptedThread c{tables(), beginning(), 3};
  Clock before, nobodys;
};
INSTANTIATE_TEST_SUITE_P(All, ReadSetsTest, ::testing::Bool());

TEST_P(ReadSetsTest, ALaterReadTakesTheEntrysPlace) {
  make_own_set(a, b, x, 8, before);
  const u32 own = read_word_at(x);
  const u64 sets = tables().sets.live();
  for (int epoch = 0; epoch < 1000; ++epoch) {
    EXPECT_EQ(a.read(x, 8), none);
    EXPECT_EQ(b.read(x, 8), none);
    a.release(nobodys);
    b.release(nobodys);
  }
  EXPECT_EQ(read_word_at(x), own);
  EXPECT_EQ(tables().sets.live(), sets);
  EXPECT_GE(a.rule_counts()[static_cast<usize>(Rule::kReadShare)], 1000u);
}

// An array that is read as a whole in each epoch: one set for all elements, not one for each.
TEST_P(ReadSetsTest, ElementsWithTheSameReadsHaveOneSet) {
  constexpr usize kElements = 200;
  ScriptedThread* const readers[] = {&a, &b};
  for (int epoch = 0; epoch < 5; ++epoch)
    for (ScriptedThread* t : readers) {
      // One place of the program reads them all, as one access to a range does.
      EXPECT_EQ(t->read(x, kElements * 8), none);
      t->release(nobodys);
    }
  std::set<u32> sets;
  for (usize i = 0; i < kElements; ++i) sets.insert(read_word_at(x + i * 8));
  EXPECT_LT(sets.size(), 8u);
}

TEST_P(ReadSetsTest, AWriteRacesWithALaterReadInPlace) {
  make_own_set(a, b, x, 8, before);
  const u32 own = read_word_at(x);
  EXPECT_EQ(a.read(x, 8), none);
  EXPECT_EQ(read_word_at(x), own);
  c.acquire(before);
  EXPECT_EQ(c.look(x, 8, true), bytes(x, 8));
  EXPECT_EQ(c.write(x, 8), bytes(x, 8));
}

TEST_P(ReadSetsTest, AWriteThatKnowsOfItDoesNot) {
  make_own_set(a, b, x, 8, before);
  a.read(x, 8);
  a.release(before);
  c.acquire(before);
  EXPECT_EQ(c.write(x, 8), none);
}

// What is in the entry is the thread's last read, not its first.
TEST_P(ReadSetsTest, AWriteThatKnowsOfAllButOneReaderRacesWithThatOne) {
  make_own_set(a, b, x, 8, before);
  a.read(x, 8);
  b.read(x, 8);
  a.release(before);
  c.acquire(before);
  EXPECT_EQ(c.write(x, 8), bytes(x, 8));
}

TEST_P(ReadSetsTest, AReadThatKnowsOfAllOthersTakesTheSetsPlace) {
  make_own_set(a, b, x, 8, before);
  a.acquire(before);
  EXPECT_EQ(a.read(x, 8), none);
  EXPECT_EQ(read_word_at(x), raw(a.stamp()));
}

TEST_P(ReadSetsTest, ANewReaderJoinsIt) {
  make_own_set(a, b, x, 8, before);
  EXPECT_EQ(c.read(x, 8), none);
  a.read(x, 8);
  a.release(before);
  ScriptedThread late(tables(), before, 4);
  EXPECT_EQ(late.write(x, 8), bytes(x, 8));  // c's read
}

TEST_P(ReadSetsTest, AReadInPlaceMeetsTheWrite) {
  b.write(x, 8);
  b.release(nobodys);
  EXPECT_EQ(a.read(x, 8), bytes(x, 8));
  b.read(x, 8);
  a.release(nobodys);
  EXPECT_EQ(a.read(x, 8), bytes(x, 8));
  a.release(nobodys);
  EXPECT_EQ(a.read(x, 8), bytes(x, 8));
}

TEST_P(ReadSetsTest, ManyReadersEachInPlace) {
  static Tables own;  // other tests would get its slots
  for (const int readers : {6, 7, 40, 90}) {
    x = fresh_memory();
    std::vector<std::unique_ptr<ScriptedThread>> threads;
    for (int i = 0; i < readers; ++i)
      threads.push_back(std::make_unique<ScriptedThread>(own, own.ended, 10 + i));
    VectorClock all;
    for (int epoch = 0; epoch < 4; ++epoch)
      for (auto& t : threads) {
        EXPECT_EQ(t->read(x, 8), none);
        t->release(all);
      }
    for (int i = 0; i < readers; i += 5) {
      ScriptedThread late(own, all, 9);
      EXPECT_EQ(late.look(x, 8, true), none);
      threads[static_cast<usize>(i)]->read(x, 8);
      EXPECT_EQ(late.look(x, 8, true), bytes(x, 8));
      threads[static_cast<usize>(i)]->release(all);
    }
  }
}

// Whoever has found the entry open may find it closed a moment later.
TEST(ReadSets, AClosedEntryStaysAsItIs) {
  ReadSets& sets = tables().sets;
  ReadSets::Stock stock;
  ReadEntry entries[2];
  ReadSets::Draft draft{entries};
  draft.add({Stamp{11}, Origin{1}}, Slot{3});
  draft.add({Stamp{12}, Origin{2}}, Slot{5});
  const ReadSetId id = sets.make_own(draft, stock);
  u64* const entry = sets.open_entry(id, Slot{5});
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(sets.open_entry(id, Slot{4}), nullptr);
  EXPECT_TRUE(ReadSets::replace_entry(entry, {Stamp{13}, Origin{3}}));
  EXPECT_TRUE(sets.contains(id, Slot{5}, Stamp{13}));
  sets.close(id);
  EXPECT_FALSE(ReadSets::replace_entry(entry, {Stamp{14}, Origin{4}}));
  EXPECT_EQ(sets.open_entry(id, Slot{5}), nullptr);
  EXPECT_EQ(unpacked(*entry), (ReadEntry{Stamp{13}, Origin{3}}));
}

// --- cells that are copied: what is read through one of them is no history of the other

TEST_P(ReadSetsTest, PartsOfAWordAreReadApart) {
  struct Cut {
    usize begin, size, part;
  };
  for (const Cut& cut : {Cut{0, 8, 4}, {0, 8, 2}, {0, 8, 1}, {0, 8, 3}, {3, 5, 2}, {0, 4, 2}}) {
    for (const bool first : {false, true}) {
      x = fresh_memory();
      Clock known;
      const uptr begin = x + cut.begin, behind = begin + cut.part;
      const usize rest = cut.size - cut.part;
      make_own_set(a, b, begin, cut.size, known);
      // Divides the word, and then reads in place, or not.
      if (first)
        EXPECT_EQ(a.read(begin, cut.part), none);
      else
        EXPECT_EQ(a.read(behind, rest), none);
      ScriptedThread late(tables(), known, 4);
      late.set_fast_path(GetParam());
      const uptr read = first ? begin : behind;
      for (uptr i = begin; i < begin + cut.size; ++i) {
        const bool was_read = i >= read && i < read + (first ? cut.part : rest);
        EXPECT_EQ(late.look(i, 1, true).count(i), was_read ? 1u : 0u) << cut.part << ", " << i - x;
      }
      EXPECT_EQ(late.write(first ? behind : begin, first ? rest : cut.part), none);
      EXPECT_EQ(late.write(read, first ? cut.part : rest), bytes(read, first ? cut.part : rest));
    }
  }
}

TEST_P(ReadSetsTest, CopiedHistoryIsNotReadWithTheOriginal) {
  struct Case {
    usize size, shift, part;
  };
  for (const Case& k : {Case{8, 0, 8}, {8, 0, 4}, {8, 3, 8}, {4, 0, 4}, {3, 0, 3}, {4, 1, 4}})
    for (const bool at_the_copy : {false, true}) {
      x = fresh_memory();
      const uptr y = fresh_memory() + k.shift;
      Clock known;
      make_own_set(a, b, x, k.size, known);
      if (k.part != k.size) make_own_set(a, b, x, k.part, known);
      a.share({x, 16});
      a.share({y, 16});
      copy_history(x, y, k.size, kNoObjects);
      const uptr read = at_the_copy ? y : x, other = at_the_copy ? x : y;
      EXPECT_EQ(a.read(read, k.size), none);
      EXPECT_EQ(b.read(read, k.size), none);
      ScriptedThread late(tables(), known, 4);
      EXPECT_EQ(late.write(other, k.size), none) << k.size << ", " << k.shift << ", " << k.part;
      EXPECT_EQ(late.write(read, k.size), bytes(read, k.size));
    }
}

TEST_P(ReadSetsTest, WordsOfAGroupAreReadApart) {
  for (ScriptedThread* t : {&a, &b, &c}) t->set_groups(true);
  for (const ByteRange part : {ByteRange{0, 8}, {8, 8}, {16, 8}, {0, 16}, {8, 16}})
    for (const bool looked_at : {false, true}) {
      x = fresh_memory();
      Clock known;
      a.write(x, 24);
      a.release(known);
      b.acquire(known);
      make_own_set(a, b, x, 24, known);
      ASSERT_TRUE(in_group(load_cell(shadow::cell<8>(x))));
      const u32 own = read_word_at(x);
      a.read(x, 24);
      EXPECT_EQ(read_word_at(x), own);
      a.release(known);
      // Either cuts it.
      c.acquire(known);
      if (looked_at) EXPECT_EQ(c.look(x + part.begin, 8, true), none);
      EXPECT_EQ(a.read(x + part.begin, part.size), none);
      EXPECT_EQ(b.read(x + part.begin, part.size), none);
      ScriptedThread late(tables(), known, 4);
      for (const usize i : {0, 8, 16})
        EXPECT_EQ(late.write(x + i, 8).size(), part.contains(i) ? 8u : 0u)
            << part.begin << ", " << part.size << ", " << i;
    }
}

// An array has one cell for many elements, and each gets a copy in the planes.
TEST_P(ReadSetsTest, ElementsOfAnArrayAreReadApart) {
  constexpr usize kBytes = 4096;
  ArrayShadow array{};
  array.start({x, kBytes}, ArrayForms::kSegments);
  const Footprint all = Footprint::run(x, x + kBytes, 8, 8);
  EXPECT_EQ(a.commit(array, all, false), none);
  EXPECT_EQ(b.commit(array, all, false), none);
  a.release(nobodys);
  EXPECT_EQ(a.commit(array, all, false), none);
  a.release(before);
  b.release(before);
  array.make_fine();
  EXPECT_EQ(a.read(x, 8), none);
  EXPECT_EQ(b.read(x, 8), none);
  ScriptedThread late(tables(), before, 4);
  EXPECT_EQ(late.write(x + 8, 8), none);
  EXPECT_EQ(late.write(x, 8), bytes(x, 8));
  array.release_storage();
}

// --- a thread that has looked at the cell, and comes to its entry only after somebody else's step

struct LateReader : ReadSetsTest {
  // The rest of an access of `a` that has seen `seen`.
  Quick goes_on(const Cell& seen) {
    ReadShareCache cache;
    OriginCache origins{};
    abi::Frame bottom{0, 0};
    u64 counts[kRuleCount] = {};
    Accessor who{{a.knows(), a.slot(), a.stamp(), tables().stamps},
                 tables().sets,
                 cache,
                 origins,
                 tables().depot,
                 {0x2000, &bottom, kNoLocks, AccessKind::kRead, 8},
                 counts,
                 {nullptr, nullptr}};
    return quick_rules<false>(cell, seen, who);
  }
  Cell* cell = shadow::cell<8>(x);
  Cell look() {
    make_own_set(a, b, x, 8, before);
    c.acquire(before);
    return load_cell(cell);
  }
};
INSTANTIATE_TEST_SUITE_P(All, LateReader, ::testing::Bool());

TEST_P(LateReader, GetsInIfNobodyCame) {
  const Cell seen = look();
  EXPECT_EQ(goes_on(seen), Quick::kByRules);
  EXPECT_EQ(c.look(x, 8, true), bytes(x, 8));
}
TEST_P(LateReader, MeetsTheWriter) {
  const Cell seen = look();
  EXPECT_EQ(c.write(x, 8), none);
  EXPECT_EQ(goes_on(seen), Quick::kNotQuick);
}
TEST_P(LateReader, IsNotLostWithASetThatAReadReplaces) {
  const Cell seen = look();
  EXPECT_EQ(c.read(x, 8), none);
  EXPECT_EQ(read_word_at(x), raw(c.stamp()));
  EXPECT_EQ(goes_on(seen), Quick::kNotQuick);
}
TEST_P(LateReader, IsNotLostWithASetThatGetsOneReaderMore) {
  const Cell seen = look();
  ScriptedThread other(tables(), beginning(), 4);
  other.read(x, 8);
  EXPECT_EQ(goes_on(seen), Quick::kNotQuick);
}
TEST_P(LateReader, FindsTheWordDivided) {
  const Cell seen = look();
  EXPECT_EQ(c.read(x, 4), none);
  EXPECT_EQ(goes_on(seen), Quick::kNotQuick);
}
TEST_P(LateReader, DoesNotMissAnObjectInTheWord) {
  const Cell seen = look();
  a.share({x, 8});
  mark_sync(x);
  EXPECT_EQ(c.look(x, 8, true), none);
  EXPECT_NE(goes_on(seen), Quick::kByRules);
}

// --- real threads

// Each round one thread reads words in place, and another one, which knows of all that was before,
// does something else to them at the same time, from the other end. `check` is called after each
// round with the bytes that either found.
template <class Other, class Check>
void meet(bool fast_path, usize size, Other does, Check check) {
  constexpr usize kWords = 16;
  constexpr int kRounds = 1000;
  const uptr base = fresh_memory();
  ScriptedThread companion(tables(), beginning(), 31), reader(tables(), beginning(), 32),
      late(tables(), beginning(), 34);
  reader.set_fast_path(fast_path);
  Clock before;
  auto prepare = [&] {
    clear_history({base, kWords * 8}, nullptr, nullptr);
    for (usize i = 0; i < kWords; ++i) make_own_set(reader, companion, base + i * 8, size, before);
  };
  prepare();
  std::set<uptr> found[2];
  Rendezvous together;
  std::thread partner([&] {
    ScriptedThread other(tables(), beginning(), 33);
    other.set_fast_path(fast_path);
    for (int round = 0; round < kRounds; ++round) {
      together.arrive_and_wait();
      other.acquire(before);
      for (usize i = kWords; i-- > 0;) found[1].merge(does(other, base + i * 8));
      together.arrive_and_wait();
      Clock nobodys;
      other.release(nobodys);  // each round has an epoch
      together.arrive_and_wait();
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    together.arrive_and_wait();
    for (usize i = 0; i < kWords; ++i) found[0].merge(reader.read(base + i * 8, size));
    together.arrive_and_wait();
    found[0].merge(found[1]);
    late.acquire(before);  // knows of everything but the read in question
    for (usize i = 0; i < kWords; ++i) check(found[0], base + i * 8, late, round);
    for (std::set<uptr>& f : found) f.clear();
    Clock nobodys;
    reader.release(nobodys);
    prepare();
    together.arrive_and_wait();
  }
  partner.join();
}

// Of a reader and a writer at least one sees the other.
void meet_writer(bool fast_path, usize size, uptr begin, usize written) {
  meet(
      fast_path, size,
      [=](ScriptedThread& other, uptr word) { return other.write(word + begin, written); },
      [=](const std::set<uptr>& found, uptr word, const ScriptedThread&, int round) {
        for (uptr i = begin; i < begin + written && i < size; ++i)
          EXPECT_TRUE(found.count(word + i)) << "round " << round << ", byte " << i;
        for (uptr i = 0; i < 8; ++i)
          if (i >= size || i < begin || i >= begin + written)
            EXPECT_FALSE(found.count(word + i)) << "round " << round << ", byte " << i;
      });
}

TEST(ReadSetsThreads, AReaderInPlaceAndAWriterCannotBothMiss) {
  for (const bool fast_path : {false, true})
    for (const usize size : {8, 4, 1}) meet_writer(fast_path, size, 0, size);
}
TEST(ReadSetsThreads, NorIfTheWriterDividesOrJoinsTheWord) {
  for (const bool fast_path : {false, true}) {
    meet_writer(fast_path, 8, 4, 4);
    meet_writer(fast_path, 8, 2, 3);
    meet_writer(fast_path, 4, 0, 8);
    meet_writer(fast_path, 3, 0, 8);
    meet_writer(fast_path, 3, 0, 2);
  }
}

// The reader's record is there afterwards, whatever another reader did to the set.
TEST(ReadSetsThreads, AReadInPlaceIsNotLostToAnotherReader) {
  for (const bool fast_path : {false, true})
    for (const usize size : {8, 4})
      for (const usize of_other : {8, 4, 1})
        meet(
            fast_path, size,
            [=](ScriptedThread& other, uptr word) { return other.read(word, of_other); },
            [=](const std::set<uptr>& found, uptr word, const ScriptedThread& late, int round) {
              EXPECT_TRUE(found.empty());
              for (uptr i = 0; i < size; ++i)
                EXPECT_EQ(late.look(word + i, 1, true).count(word + i), 1u)
                    << "round " << round << ", byte " << i;
            });
}

}  // namespace
}  // namespace bigfoot::rt::testing
