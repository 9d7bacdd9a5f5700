// From heap blocks, globals and mappings to arrays, and what the arrays of a place of allocation
// teach about the next.
#include "runtime/array/registry.h"

#include <gtest/gtest.h>

#include "runtime/heap/slab.h"
#include "tests/unit/runtime/scripted_threads.h"

namespace bigfoot::rt::testing {
namespace {

constexpr usize kBytes = 8192;

struct RegistryTest : ::testing::Test {
  Tables tables;
  abi::Frame frames[2] = {{0, 0}, {0x500, 0x1234}};
  ArrayRegistry registry;
  const VectorClock nothing;
  ScriptedThread a{tables, nothing, 1};
  VectorClock lock;

  Origin place(Pc pc, u32 locks = 0) {
    return tables.depot.intern({.pc = pc, .frame = &frames[1], .locks = LocksetId{locks}});
  }
  uptr allocate(Origin where, usize bytes = kBytes) {
    return reinterpret_cast<uptr>(heap::allocate(bytes, 16, false, where, ThreadId{1}));
  }
  // As the run time does it: a block that is handed out is no array yet.
  uptr next_array(Origin where) {
    const uptr p = allocate(where);
    registry.end(p);
    return p;
  }
  void free(uptr p) { heap::deallocate(reinterpret_cast<void*>(p)); }
  // Commits of an element each, in no order, until the array is in the planes.
  void wear_out(ArrayRecord& r) {
    const uptr begin = r.shadow.array().begin;
    for (usize i = 0; !r.shadow.fine(); ++i) {
      ASSERT_LT(i, 100'000u) << "it stays compressed";
      a.commit(r.shadow, Footprint::one(begin + i * 5 % (kBytes / 8) * 8, 8), true);
      a.release(lock);
    }
    registry.gone_fine(r, r.generation);
  }
  // Arrays of the place that are worn out one after the other. Returns how many were compressed.
  int worn_out(Origin where, int count) {
    int compressed = 0;
    for (int i = 0; i < count; ++i) {
      const uptr p = next_array(where);
      ArrayRecord* r = registry.get(p, 0);
      compressed += r->shadow.fine() ? 0 : 1;
      wear_out(*r);
      free(p);
    }
    return compressed;
  }
};

TEST_F(RegistryTest, WhatHasGoneFineIsNotAskedForAgain) {
  registry.initialise(ArrayForms::kSegments);
  const uptr p = next_array(place(0x10));
  ArrayRecord* r = registry.get(p + 100, 0);
  ASSERT_NE(r, nullptr);
  EXPECT_TRUE(heap::holds_numbered(p) && heap::holds_numbered(p + kBytes - 1));
  wear_out(*r);
  EXPECT_FALSE(heap::holds_numbered(p) || heap::holds_numbered(p + kBytes - 1));
  EXPECT_EQ(registry.get(p, 0), r);  // but known, for footprints that are on their way
  free(p);
  const uptr q = next_array(place(0x10));
  ASSERT_EQ(q, p);
  EXPECT_TRUE(heap::holds_numbered(q));
  EXPECT_FALSE(registry.get(q, 0)->shadow.fine());
  free(q);
}

// The array of a block that was freed has gone FINE, late, and others live there now.
TEST_F(RegistryTest, AnotherBlockAtTheSamePlaceIsNotTakenForIt) {
  registry.initialise(ArrayForms::kSegments);
  const uptr p = next_array(place(0x10));
  ArrayRecord* r = registry.get(p, 0);
  const u32 generation = r->generation;
  free(p);
  ASSERT_EQ(next_array(place(0x10)), p);
  registry.gone_fine(*r, generation);
  EXPECT_TRUE(heap::holds_numbered(p));
  free(p);
}

TEST_F(RegistryTest, OfAPlaceWhoseArraysDoNotPayFewAreTried) {
  registry.initialise(ArrayForms::kSegments, &tables.depot);
  const int tried = worn_out(place(0x10), 640);
  EXPECT_GE(tried, 640 / 64);  // now and then one
  EXPECT_LE(tried, 640 / 64 + 3);
  const uptr p = next_array(place(0x10));
  EXPECT_TRUE(registry.get(p, 0)->shadow.fine());
  EXPECT_FALSE(heap::holds_numbered(p));
  free(p);
}

TEST_F(RegistryTest, WithLargeChecksOnlyAnArrayIsWhatItsFirstCheckSays) {
  registry.initialise(ArrayForms::kSegments, nullptr, true);
  const uptr swept = next_array(place(0x10)), in_pieces = next_array(place(0x10));
  EXPECT_FALSE(registry.get(swept, 1024)->shadow.fine());
  EXPECT_TRUE(registry.get(in_pieces, 1023)->shadow.fine());
  // What comes later changes nothing.
  EXPECT_FALSE(registry.get(swept, 8)->shadow.fine());
  EXPECT_TRUE(registry.get(in_pieces, 4096)->shadow.fine());
  EXPECT_FALSE(heap::holds_numbered(in_pieces));
  free(swept);
  free(in_pieces);
}

TEST_F(RegistryTest, APlaceIsWhereItWasAllocatedWhateverLocksWereHeld) {
  registry.initialise(ArrayForms::kSegments, &tables.depot);
  worn_out(place(0x10), 5);
  const uptr same = next_array(place(0x10, 7)), other = next_array(place(0x20));
  EXPECT_TRUE(registry.get(same, 0)->shadow.fine());
  EXPECT_FALSE(registry.get(other, 0)->shadow.fine());
  free(same);
  free(other);
}

// A sweep over all of it in each epoch is what compression is for.
TEST_F(RegistryTest, ArraysThatPayAreCompressedAgain) {
  registry.initialise(ArrayForms::kSegments, &tables.depot);
  for (int i = 0; i < 200; ++i) {
    const uptr p = next_array(place(0x10));
    ArrayRecord* r = registry.get(p, 0);
    ASSERT_FALSE(r->shadow.fine()) << i;
    for (int round = 0; round < 5; ++round) {
      a.commit(r->shadow, Footprint::run(p, p + kBytes, 8, 8), true);
      a.release(lock);
    }
    free(p);
  }
}

TEST_F(RegistryTest, NothingIsLearntUnlessAskedFor) {
  registry.initialise(ArrayForms::kSegments);
  EXPECT_EQ(worn_out(place(0x10), 20), 20);
}

// Memory outside of the heap. Nothing is there, but nobody looks.
struct AddedArraysTest : RegistryTest {
  static constexpr uptr kBegin = uptr{0x3000} << 24;
  static constexpr usize kSize = usize{64} << 10;
  ScriptedThread b{tables, nothing, 2};

  ~AddedArraysTest() override { clear_history({kBegin, kSize}, nullptr, nullptr); }

  ArrayRecord& added() {
    EXPECT_TRUE(registry.add({kBegin, kSize}, kNoOrigin));
    return *registry.get(kBegin, 0);
  }
  // Every word of it, by a thread that knows of nobody.
  std::set<uptr> racy_words(uptr begin, uptr end) {
    std::set<uptr> racy;
    for (uptr a = begin; a < end; a += 8) {
      ArrayRecord* r = registry.get(a, 0);
      const bool in_planes = r == nullptr || r->shadow.fine();
      for (uptr byte : in_planes ? b.write(a, 8) : b.commit(r->shadow, Footprint::one(a, 8), true))
        racy.insert(byte & ~uptr{7});
    }
    return racy;
  }
  void expect_racy(uptr begin, uptr end) {
    const std::set<uptr> racy = racy_words(kBegin, kBegin + kSize);
    std::set<uptr> wanted;
    for (uptr a = begin; a < end; a += 8) wanted.insert(a);
    EXPECT_EQ(racy, wanted);
  }
  void write_all(ArrayRecord& r) {
    a.commit(r.shadow, Footprint::run(kBegin, kBegin + kSize, 8, 8), true);
  }
};

TEST_F(AddedArraysTest, AreFoundFromTheirFirstToTheirLastByte) {
  registry.initialise(ArrayForms::kSegments);
  ArrayRecord& r = added();
  EXPECT_EQ(registry.get(kBegin + kSize - 1, 0), &r);
  EXPECT_EQ(registry.get(kBegin - 1, 0), nullptr);
  EXPECT_EQ(registry.get(kBegin + kSize, 0), nullptr);
  EXPECT_TRUE(registry.may_hold(kBegin) && !registry.may_hold(kBegin + kSize));
  registry.cut({kBegin, kSize});
}

TEST_F(AddedArraysTest, WhatIsLeftOnBothSidesKeepsItsHistoryCompressed) {
  registry.initialise(ArrayForms::kSegments);
  ArrayRecord& r = added();
  a.commit(r.shadow, Footprint::run(kBegin + 4096, kBegin + kSize - 4096, 8, 8), true);
  const uptr hole = kBegin + 16384;
  registry.cut({hole, 8192});
  EXPECT_EQ(registry.get(hole, 0), nullptr);
  ArrayRecord *left = registry.get(hole - 1, 0), *right = registry.get(hole + 8192, 0);
  ASSERT_TRUE(left != nullptr && right != nullptr);
  EXPECT_EQ(left->shadow.array().end(), hole);
  EXPECT_EQ(right->shadow.array().end(), kBegin + kSize);
  EXPECT_EQ(left->shadow.locations(), 2u);  // what was written, and what was not
  EXPECT_EQ(right->shadow.locations(), 2u);
  EXPECT_FALSE(has_history({kBegin, kSize}));
  std::set<uptr> wanted;
  for (uptr at = kBegin + 4096; at < kBegin + kSize - 4096; at += 8)
    if (at < hole || at >= hole + 8192) wanted.insert(at);
  EXPECT_EQ(racy_words(kBegin, kBegin + kSize), wanted);
}

TEST_F(AddedArraysTest, ARestThatIsTooSmallGoesToThePlanes) {
  registry.initialise(ArrayForms::kSegments);
  write_all(added());
  registry.cut({kBegin + 512, kSize - 512});
  EXPECT_EQ(registry.get(kBegin, 0), nullptr);
  expect_racy(kBegin, kBegin + 512);
}

TEST_F(AddedArraysTest, WhatWasInThePlanesStaysThere) {
  registry.initialise(ArrayForms::kSegments);
  ArrayRecord& r = added();
  write_all(r);
  r.shadow.make_fine();
  registry.gone_fine(r, r.generation);
  EXPECT_FALSE(registry.may_hold(kBegin));
  registry.cut({kBegin + 8192, kSize - 8192});
  clear_history({kBegin + 8192, kSize - 8192}, nullptr, nullptr);  // the caller's business
  EXPECT_FALSE(registry.may_hold(kBegin));
  ASSERT_NE(registry.get(kBegin, 0), nullptr);
  EXPECT_TRUE(registry.get(kBegin, 0)->shadow.fine());
  expect_racy(kBegin, kBegin + 8192);
}

TEST_F(AddedArraysTest, TableOneHasNoFormForARest) {
  registry.initialise(ArrayForms::kTable);
  write_all(added());
  registry.cut({kBegin + 8192, kSize - 8192});
  clear_history({kBegin + 8192, kSize - 8192}, nullptr, nullptr);
  EXPECT_TRUE(registry.get(kBegin, 0)->shadow.fine());
  expect_racy(kBegin, kBegin + 8192);
}

TEST_F(AddedArraysTest, ArraysOfAPlaceThatDoNotPayBeginInThePlanes) {
  registry.initialise(ArrayForms::kSegments, &tables.depot);
  int compressed = 0;
  for (int i = 0; i < 64; ++i) {
    ASSERT_TRUE(registry.add({kBegin, kBytes}, place(0x10)));
    ArrayRecord* r = registry.get(kBegin, 0);
    compressed += r->shadow.fine() ? 0 : 1;
    wear_out(*r);
    EXPECT_FALSE(registry.may_hold(kBegin));
    registry.cut({kBegin, kBytes});
    clear_history({kBegin, kBytes}, nullptr, nullptr);
  }
  EXPECT_GE(compressed, 1);
  EXPECT_LE(compressed, 4);
}

TEST_F(AddedArraysTest, AreCountedOnceHoweverOftenTheyAreCut) {
  registry.initialise(ArrayForms::kSegments);
  write_all(added());
  for (usize left = kSize; left > 8192; left -= 8192) registry.cut({kBegin + left - 8192, 8192});
  EXPECT_EQ(registry.counts().elements, 1024u);
  registry.cut({kBegin, kSize});
  EXPECT_EQ(registry.counts().elements, 1024u);
  EXPECT_EQ(registry.get(kBegin, 0), nullptr);
}

// Who has looked an array up before it was cut finds out.
TEST_F(AddedArraysTest, ACutArrayIsAnotherGeneration) {
  registry.initialise(ArrayForms::kSegments);
  ArrayRecord& r = added();
  const u32 generation = r.generation;
  registry.cut({kBegin + 8192, kSize - 8192});
  ArrayRecord* left = registry.get(kBegin, 0);
  EXPECT_TRUE(left != &r || left->generation != generation);
}

}  // namespace
}  // namespace bigfoot::rt::testing
