// The depot of origins: what is interned is found again, whole, however many there are.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "runtime/origin/depot.h"

namespace bigfoot::rt {
namespace {

// A shadow call stack that goes down and up as a program's does.
class Frames {
 public:
  Frames() : frames_{{0, 0}} {}
  void call(Pc return_pc) {
    calls_.push_back({return_pc, 0});
    frames_.push_back({return_pc, (frames_.back().path ^ return_pc) * abi::kPathMultiplier});
  }
  // Of a function that may call itself, number `function`: not 0.
  void call(Pc return_pc, u64 function) {
    calls_.push_back({return_pc, function});
    const u64 name = abi::mark_name(0x7000 + function);
    const abi::Frame below = frames_.size() > 1 ? frames_.end()[-2] : abi::Frame{};
    const bool again = below.return_pc == name;
    const u64 first = again ? below.path : (frames_.back().path ^ return_pc) * abi::kPathMultiplier;
    frames_.push_back({name, first});
    frames_.push_back({return_pc, again ? abi::path_of_own_calls(first) : first});
  }
  void leave() {
    frames_.resize(frames_.size() - (calls_.back().function == 0 ? 1 : 2));
    calls_.pop_back();
  }
  usize depth() const { return calls_.size(); }
  const abi::Frame* innermost() const { return &frames_.back(); }
  // What a report should show of an access here.
  std::vector<Pc> stack(Pc pc) const {
    std::vector<Pc> all{pc};
    for (usize i = calls_.size(); i > 0; --i) {
      usize first = i - 1;
      while (calls_by_itself(first)) --first;
      if (first != i - 1) all.push_back(kOwnCalls);
      all.push_back(calls_[first].return_pc);
      i = first + 1;
    }
    return all;
  }

 private:
  struct Call {
    Pc return_pc;
    u64 function;
  };
  bool calls_by_itself(usize i) const {
    return i > 0 && calls_[i].function != 0 && calls_[i].function == calls_[i - 1].function;
  }

  std::vector<abi::Frame> frames_;
  std::vector<Call> calls_;
};

std::vector<Pc> stack_of(const OriginDepot& depot, Origin o) {
  Pc pcs[64];
  return {pcs, pcs + depot.stack(o, pcs, 64)};
}

class OriginDepotTest : public ::testing::Test {
 protected:
  OriginDepotTest() { depot_.initialise(); }

  Place at(Pc pc, u64 size = 8, AccessKind kind = AccessKind::kRead) const {
    return {pc, frames_.innermost(), kNoLocks, kind, size, 0};
  }
  // Interns accesses in all calls of a recursion that branches twice in each level.
  template <class Each>
  void recurse(int levels, Pc accesses, Each&& each) {
    for (Pc pc = 1; pc <= accesses; ++pc) each(at(0x4000 + pc));
    if (levels == 0) return;
    for (Pc branch = 0; branch < 2; ++branch) {
      frames_.call(0x5000 + 16 * branch);
      recurse(levels - 1, accesses, each);
      frames_.leave();
    }
  }
  void check(const Place& p) {
    const Origin o = depot_.intern(p);
    ASSERT_EQ(stack_of(depot_, o), frames_.stack(p.pc));
    ASSERT_EQ(depot_.size(o), p.size);
    ASSERT_EQ(depot_.kind(o), p.kind);
  }
  u64 contexts_of(int levels, Pc accesses) {
    const u64 before = depot_.contexts();
    recurse(levels, accesses, [&](const Place& p) { check(p); });
    return depot_.contexts() - before;
  }

  OriginDepot depot_;
  Frames frames_;
};

TEST_F(OriginDepotTest, TellsPlacesApart) {
  frames_.call(0x100);
  const Origin read = depot_.intern(at(0x1));
  EXPECT_EQ(depot_.intern(at(0x1)), read);
  EXPECT_NE(depot_.intern(at(0x2)), read);
  EXPECT_NE(depot_.intern(at(0x1, 4)), read);
  EXPECT_NE(depot_.intern(at(0x1, 8, AccessKind::kWrite)), read);
  frames_.call(0x200);
  EXPECT_NE(depot_.intern(at(0x1)), read);
}

TEST_F(OriginDepotTest, FindsAgainWhatItHas) {
  EXPECT_EQ(contexts_of(8, 6), 511u * 6 + 510);
  EXPECT_EQ(contexts_of(8, 6), 0u);
}

// More accesses than a frame has place for in its line.
TEST_F(OriginDepotTest, KeepsCallsWithManyAccesses) {
  EXPECT_EQ(contexts_of(2, 400), 7u * 400 + 6);
  EXPECT_EQ(contexts_of(2, 400), 0u);
}

// What was placed before the table grew is interned once more, not again and again: none of these
// rounds but the first makes it grow.
TEST_F(OriginDepotTest, IsStillWholeWhenItHasGrown) {
  const u64 all = 8191u * 5 + 8190;
  EXPECT_LT(contexts_of(12, 5), all + all / 100);
  EXPECT_LT(contexts_of(12, 5), all / 2);
  EXPECT_EQ(contexts_of(12, 5), 0u);
}

// However deep they are, and from wherever.
TEST_F(OriginDepotTest, OwnCallsAreOneContext) {
  frames_.call(0x100);
  frames_.call(0x200, 1);
  const u64 before = depot_.contexts();
  for (Pc site = 0; site < 1000; ++site) {
    frames_.call(0x300 + site % 7, 1);
    check(at(0x1));
  }
  // The callers, the call from outside, those of its own, the access.
  EXPECT_EQ(depot_.contexts() - before, 4u);
  while (frames_.depth() > 2) frames_.leave();
  check(at(0x1));
  EXPECT_EQ(depot_.contexts() - before, 5u);
}

// Frames that are not known yet lie between, below and above a function's own calls.
TEST_F(OriginDepotTest, OwnCallsAmongOthers) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  auto cache = std::make_unique<OriginCache>();
  for (int step = 0; step < 100'000; ++step) {
    const Pc pc = 0x10 * (random() % 3 + 1);
    const u64 function = random() % 5;
    if (frames_.depth() > 20 || (frames_.depth() > 0 && random() % 2 == 0))
      frames_.leave();
    else if (function < 2)
      frames_.call(0x1000 + pc);
    else
      frames_.call(0x2000 + pc, function);
    if (random() % 4 != 0) continue;
    const Place p = at(pc);
    ASSERT_EQ(stack_of(depot_, depot_.intern(p)), frames_.stack(pc)) << step;
    ASSERT_EQ(stack_of(depot_, cache->get(depot_, p)), frames_.stack(pc)) << step;
  }
}

TEST_F(OriginDepotTest, PartsHaveTheStackOfTheWhole) {
  frames_.call(0x100);
  const Origin whole = depot_.intern(at(0x1, 24, AccessKind::kWrite));
  const Origin part = depot_.part_of(whole, 0x2, {0x1008, 8});
  EXPECT_EQ(depot_.part_of(whole, 0x2, {0x1008, 8}), part);
  EXPECT_NE(depot_.part_of(whole, 0x3, {0x1008, 8}), part);
  EXPECT_EQ(stack_of(depot_, part), frames_.stack(0x2));
  EXPECT_EQ(depot_.kind(part), AccessKind::kWrite);
  EXPECT_EQ(depot_.size(part), 8u);
}

TEST_F(OriginDepotTest, ThreadsInternAtOnce) {
  const auto work = [this](Pc first) {
    Frames frames;
    for (Pc call = 0; call < 4000; ++call) {
      frames.call(first + call);
      for (Pc pc = 1; pc <= 5; ++pc) {
        const Place p{pc, frames.innermost(), kNoLocks, AccessKind::kRead, 4, 0};
        ASSERT_EQ(stack_of(depot_, depot_.intern(p)), frames.stack(pc));
      }
      frames.leave();
    }
  };
  std::thread same(work, 0x10000), half(work, 0x10000 + 2000);
  work(0x10000);
  same.join();
  half.join();
}

// Whatever takes the place of what in the cache, it says what the depot says.
TEST_F(OriginDepotTest, TheCacheAgrees) {
  auto cache = std::make_unique<OriginCache>();
  EXPECT_EQ(cache->peek(at(0x1)), kNoOrigin);
  for (int round = 0; round < 3; ++round)
    for (Pc pc = 1; pc < 5000; ++pc) {
      const Origin o = cache->get(depot_, at(pc));
      ASSERT_EQ(depot_.pc(o), pc);
      ASSERT_EQ(cache->peek(at(pc)), o);
    }
}

// Two places that would take turns in one entry are both kept: with single entries a quarter of
// these would be missing.
TEST_F(OriginDepotTest, TheCacheKeepsPairs) {
  auto cache = std::make_unique<OriginCache>();
  constexpr Pc kPlaces = 500;
  for (Pc pc = 1; pc <= kPlaces; ++pc) cache->get(depot_, at(0x1000 * pc));
  Pc missing = 0;
  for (Pc pc = 1; pc <= kPlaces; ++pc) missing += cache->peek(at(0x1000 * pc)) == kNoOrigin;
  EXPECT_LT(missing, kPlaces / 20);
}

}  // namespace
}  // namespace bigfoot::rt
