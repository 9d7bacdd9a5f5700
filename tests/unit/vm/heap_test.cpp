// The collectors as they are called by hand: what they keep, what they tell the monitor, and that
// marking beside the program loses nothing.
#include "frontends/bfj/vm/heap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/bfj/vm/space.h"

namespace bigfoot::vm {

// By their numbers, in messages and comparisons.
bool operator==(const Memory& a, const Memory& b) {
  return a.begin == b.begin && a.bytes == b.bytes;
}

namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr Actor kWho{0, 0};
constexpr std::uint64_t kHeapBytes = 1 << 14;

// What the collector tells about the program's memory, in one order.
class Told : public Monitor {
 public:
  void freed(const Actor&, std::span<const Memory> blocks) override {
    order += "freed ";
    freed_blocks.insert(freed_blocks.end(), blocks.begin(), blocks.end());
  }
  void copied(const Actor&, std::span<const Move> moves) override {
    order += "copied ";
    moved.insert(moved.end(), moves.begin(), moves.end());
  }
  std::string order;
  std::vector<Memory> freed_blocks;
  std::vector<Move> moved;
};

class HeapTest : public ::testing::Test {
 protected:
  Object* make(Heap& heap, std::uint32_t units = 2) { return heap.allocate(kWho, units, false); }
  void collect(Heap& heap) { heap.collect(kWho, all_roots()); }
  Roots all_roots() {
    return [this](const std::function<void(Value&)>& visit) {
      for (Value& v : roots) visit(v);
    };
  }

  Told told;
  std::vector<Value> roots;
};

const Value kSeven = *Value::integer(7);

// ---- moving ----

TEST_F(HeapTest, SemispaceMovesWhatIsReachableAndKeepsItsShape) {
  const auto heap = make_semispace(told, kHeapBytes);
  Object* a = make(*heap);
  Object* b = make(*heap);
  a->store(0, Value::object(b));
  a->store(1, kSeven);
  b->store(0, Value::object(a));  // a cycle
  b->store(1, Value::thread(3));
  b->owner = 5;  // locked
  const std::uint64_t a_serial = a->serial, b_serial = b->serial;
  roots = {Value::object(a), Value::object(b), kSeven, Value::thread(9)};

  collect(*heap);

  Object* new_a = roots[0].target();
  Object* new_b = roots[1].target();
  EXPECT_NE(new_a, a);
  EXPECT_NE(new_b, b);
  EXPECT_EQ(new_a->load(0), Value::object(new_b)) << "one copy for all references";
  EXPECT_EQ(new_b->load(0), Value::object(new_a));
  EXPECT_EQ(new_a->load(1), kSeven);
  EXPECT_EQ(new_b->load(1), Value::thread(3));
  EXPECT_EQ(new_a->serial, a_serial);
  EXPECT_EQ(new_b->serial, b_serial);
  EXPECT_EQ(new_b->owner, 5u) << "a lock goes on being held";
  EXPECT_EQ(roots[2], kSeven);
  EXPECT_EQ(roots[3], Value::thread(9));
}

TEST_F(HeapTest, SemispaceTellsEachMoveAndThenTheEndOfTheOldHalf) {
  const auto heap = make_semispace(told, kHeapBytes);
  Object* dead = make(*heap, 4);
  Object* live = make(*heap, 3);
  const Memory old_half{address_of(dead), dead->bytes() + live->bytes()};
  const std::uint64_t live_bytes = live->bytes();
  roots = {Value::object(live)};

  collect(*heap);

  EXPECT_EQ(told.order, "copied freed ") << "history must be copied before it is cleared";
  ASSERT_EQ(told.moved.size(), 1u);
  EXPECT_EQ(told.moved[0].from, address_of(live));
  EXPECT_EQ(told.moved[0].to, address_of(roots[0].target()));
  EXPECT_EQ(told.moved[0].bytes, live_bytes);
  EXPECT_THAT(told.freed_blocks, ElementsAre(old_half));
}

TEST_F(HeapTest, SemispaceMovesAnObjectAgainInTheNextCollection) {
  const auto heap = make_semispace(told, kHeapBytes);
  roots = {Value::object(make(*heap))};
  Object* first = roots[0].target();
  first->store(0, kSeven);
  collect(*heap);
  Object* second = roots[0].target();
  collect(*heap);
  EXPECT_EQ(roots[0].target(), first) << "back in the first half";
  EXPECT_NE(second, first);
  EXPECT_EQ(first->load(0), kSeven);
}

// ---- both ----

class EachHeap : public HeapTest, public ::testing::WithParamInterface<bool> {
 protected:
  std::unique_ptr<Heap> heap =
      GetParam() ? make_semispace(told, kHeapBytes) : make_mark_sweep(told, kHeapBytes, false);
};
INSTANTIATE_TEST_SUITE_P(Collectors, EachHeap, ::testing::Bool(),
                         [](const auto& i) { return i.param ? "Semispace" : "MarkSweep"; });

TEST_P(EachHeap, AFullHeapRefusesUntilACollectionMakesRoom) {
  std::size_t fit = 0;
  std::set<std::uint64_t> serials;
  while (Object* o = make(*heap)) {
    for (std::uint32_t i = 0; i < o->units; ++i) o->store(i, kSeven);
    EXPECT_TRUE(serials.insert(o->serial).second);
    ++fit;
  }
  ASSERT_GT(fit, 10u);
  collect(*heap);
  for (std::size_t n = 0; n < fit; ++n) {
    Object* o = make(*heap);
    ASSERT_NE(o, nullptr) << n << " of " << fit;
    EXPECT_EQ(o->load(0), Value()) << "the memory of dead objects is zeroed";
    EXPECT_EQ(o->load(1), Value());
    EXPECT_EQ(o->owner, 0u);
    EXPECT_TRUE(serials.insert(o->serial).second) << "a number is never used again";
  }
  EXPECT_EQ(make(*heap), nullptr);
}

TEST_P(EachHeap, WhatIsReachableOverAFullHeapStaysAndIsAllThereIs) {
  while (Object* o = make(*heap)) {  // a list of everything
    if (!roots.empty()) o->store(0, roots[0]);
    roots = {Value::object(o)};
  }
  collect(*heap);
  EXPECT_EQ(make(*heap), nullptr) << "nothing was dead";
}

TEST_P(EachHeap, ObjectsAreWithinTheSpacesTheHeapNames) {
  for (int round = 0; round < 3; ++round) {
    const Object* o = make(*heap);
    const auto within = [o](const Memory& m) {
      return address_of(o) >= m.begin && address_of(o) + o->bytes() <= m.begin + m.bytes;
    };
    const std::vector<Memory> spaces = heap->spaces();
    EXPECT_EQ(std::count_if(spaces.begin(), spaces.end(), within), 1);
    collect(*heap);
  }
}

// ---- marking ----

TEST_F(HeapTest, MarkSweepLeavesObjectsInPlaceAndTellsEachDeadOneOnce) {
  const auto heap = make_mark_sweep(told, kHeapBytes, false);
  Object* live = make(*heap);
  Object* through = make(*heap);
  const Memory dead = memory_of(make(*heap)), dead_too = memory_of(make(*heap, 5));
  live->store(1, Value::object(through));
  roots = {Value::object(live)};

  collect(*heap);
  EXPECT_THAT(told.freed_blocks, UnorderedElementsAre(dead, dead_too));
  collect(*heap);
  EXPECT_EQ(told.freed_blocks.size(), 2u) << "a free block is not freed again";
  EXPECT_EQ(roots[0].target(), live);
  EXPECT_EQ(live->load(1), Value::object(through));
  EXPECT_TRUE(told.moved.empty());

  EXPECT_EQ(address_of(make(*heap)), dead.begin) << "the block is used again";
  roots.clear();
  told.freed_blocks.clear();
  collect(*heap);
  EXPECT_THAT(told.freed_blocks, UnorderedElementsAre(memory_of(live), memory_of(through), dead))
      << "marks of the last collection mean nothing in the next";
}

// The reference from a to b is the only one when marking begins; the program takes it into a
// variable, of which the collector knows nothing any more, and overwrites it.
TEST_F(HeapTest, MarkingBesideTheProgramKeepsWhatWasReachableWhenItBegan) {
  const auto heap = make_mark_sweep(told, kHeapBytes, true);
  Object* a = make(*heap);
  Object* b = make(*heap);
  Object* behind_b = make(*heap);
  a->store(0, Value::object(b));
  b->store(0, Value::object(behind_b));
  roots = {Value::object(a)};

  heap->begin_marking(kWho, all_roots());
  roots.push_back(a->load(0));
  heap->overwriting(kWho, a->load(0));
  a->store(0, Value());
  heap->mark_concurrently(kWho);
  collect(*heap);
  EXPECT_TRUE(told.freed_blocks.empty());

  roots.pop_back();
  collect(*heap);
  EXPECT_THAT(told.freed_blocks, UnorderedElementsAre(memory_of(b), memory_of(behind_b)))
      << "gone with the next collection";
}

TEST_F(HeapTest, AnObjectMadeWhileMarkingRunsSurvivesIt) {
  const auto heap = make_mark_sweep(told, kHeapBytes, true);
  heap->begin_marking(kWho, all_roots());
  Object* young = make(*heap);
  roots = {Value::object(young)};
  heap->mark_concurrently(kWho);
  collect(*heap);
  EXPECT_TRUE(told.freed_blocks.empty());

  roots.clear();
  collect(*heap);
  EXPECT_THAT(told.freed_blocks, ElementsAre(memory_of(young)));
}

TEST_F(HeapTest, OverwritingOutsideOfMarkingKeepsNothing) {
  const auto heap = make_mark_sweep(told, kHeapBytes, true);
  Object* a = make(*heap);
  heap->overwriting(kWho, Value::object(a));
  collect(*heap);
  EXPECT_THAT(told.freed_blocks, ElementsAre(memory_of(a)));
}

}  // namespace
}  // namespace bigfoot::vm
