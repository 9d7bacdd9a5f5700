// From heap blocks to arrays, and what the arrays of a place of allocation teach about the next.
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
      ArrayRecord* r = registry.get(p);
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
  ArrayRecord* r = registry.get(p + 100);
  ASSERT_NE(r, nullptr);
  EXPECT_TRUE(heap::holds_numbered(p) && heap::holds_numbered(p + kBytes - 1));
  wear_out(*r);
  EXPECT_FALSE(heap::holds_numbered(p) || heap::holds_numbered(p + kBytes - 1));
  EXPECT_EQ(registry.get(p), r);  // but known, for footprints that are on their way
  free(p);
  const uptr q = next_array(place(0x10));
  ASSERT_EQ(q, p);
  EXPECT_TRUE(heap::holds_numbered(q));
  EXPECT_FALSE(registry.get(q)->shadow.fine());
  free(q);
}

// The array of a block that was freed has gone FINE, late, and others live there now.
TEST_F(RegistryTest, AnotherBlockAtTheSamePlaceIsNotTakenForIt) {
  registry.initialise(ArrayForms::kSegments);
  const uptr p = next_array(place(0x10));
  ArrayRecord* r = registry.get(p);
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
  EXPECT_TRUE(registry.get(p)->shadow.fine());
  EXPECT_FALSE(heap::holds_numbered(p));
  free(p);
}

TEST_F(RegistryTest, APlaceIsWhereItWasAllocatedWhateverLocksWereHeld) {
  registry.initialise(ArrayForms::kSegments, &tables.depot);
  worn_out(place(0x10), 5);
  const uptr same = next_array(place(0x10, 7)), other = next_array(place(0x20));
  EXPECT_TRUE(registry.get(same)->shadow.fine());
  EXPECT_FALSE(registry.get(other)->shadow.fine());
  free(same);
  free(other);
}

// A sweep over all of it in each epoch is what compression is for.
TEST_F(RegistryTest, ArraysThatPayAreCompressedAgain) {
  registry.initialise(ArrayForms::kSegments, &tables.depot);
  for (int i = 0; i < 200; ++i) {
    const uptr p = next_array(place(0x10));
    ArrayRecord* r = registry.get(p);
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

}  // namespace
}  // namespace bigfoot::rt::testing
