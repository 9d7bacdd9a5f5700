// Groups under real threads: of two accesses without order at least one sees the other, whatever
// happens to the group between them.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/detect/groups.h"
#include "tests/unit/runtime/rendezvous.h"
#include "tests/unit/runtime/scripted_threads.h"

namespace bigfoot::rt::testing {
namespace {

Tables& tables() {
  static Tables t;
  return t;
}

constexpr usize kObjects = 8;
constexpr usize kObjectBytes = 48;

// What one side does to each object: bytes [begin, begin + size) of it.
struct Part {
  usize begin, size;
  bool overlaps(usize byte) const { return byte >= begin && byte < begin + size; }
};

enum class Start { kBlank, kGrouped };

// Each round both sides write their part of every object without order, from opposite ends.
void meet(Start start, bool fast_path, Part one, Part other) {
  constexpr int kRounds = 600;
  static uptr next = 0x30000000;
  const uptr base = next += 4096;
  ScriptedThread earlier(tables(), kNothing, 22);
  earlier.set_groups(true);
  VectorClock ordered;
  auto prepare = [&] {
    clear_history({base, kObjects * kObjectBytes}, nullptr, nullptr);
    if (start == Start::kGrouped)
      for (usize i = 0; i < kObjects; ++i) earlier.write(base + i * kObjectBytes, kObjectBytes);
    earlier.release(ordered);
  };
  prepare();
  std::set<uptr> found[2];
  Rendezvous together;
  auto side = [&](int id, Part part) {
    ScriptedThread me(tables(), kNothing, 20 + id);
    me.set_fast_path(fast_path);
    me.set_groups(true);
    for (int round = 0; round < kRounds; ++round) {
      together.arrive_and_wait();
      me.acquire(ordered);
      for (usize i = 0; i < kObjects; ++i) {
        const usize object = id == 0 ? i : kObjects - 1 - i;
        found[id].merge(me.write(base + object * kObjectBytes + part.begin, part.size));
      }
      together.arrive_and_wait();
      if (id == 1) continue;
      std::set<uptr> all;
      all.merge(found[0]);
      all.merge(found[1]);
      for (usize i = 0; i < kObjects * kObjectBytes; ++i) {
        const usize byte = i % kObjectBytes;
        EXPECT_EQ(all.count(base + i) != 0, one.overlaps(byte) && other.overlaps(byte))
            << "round " << round << ", byte " << i;
      }
      prepare();
    }
  };
  std::thread partner([&] { side(1, other); });
  side(0, one);
  partner.join();
}

// Whole groups, a field, bytes of a field, groups that overlap, fields that do not meet.
constexpr Part kParts[][2] = {
    {{0, 48}, {0, 48}},  {{0, 48}, {24, 8}},  {{0, 48}, {0, 8}},  {{0, 48}, {43, 3}},
    {{0, 32}, {16, 32}}, {{0, 24}, {24, 24}}, {{8, 8}, {16, 24}}, {{0, 8}, {40, 8}},
};

TEST(GroupThreads, TwoWhoFormAGroupCannotBothMiss) {
  for (bool fast_path : {false, true})
    for (const auto& p : kParts) meet(Start::kBlank, fast_path, p[0], p[1]);
}
TEST(GroupThreads, NorIfTheyCutIt) {
  for (bool fast_path : {false, true})
    for (const auto& p : kParts) meet(Start::kGrouped, fast_path, p[0], p[1]);
}

// An atomic access looks at a word while its group is cut by somebody else. Whenever it looks, the
// older write is there.
TEST(GroupThreads, LookingAtAMemberTellsTheTruth) {
  constexpr uptr kBase = 0x34000000;
  constexpr uptr kBytes = 24, kEnd = kBase + 60000 * kBytes;
  ScriptedThread writer(tables(), kNothing, 22);
  ScriptedThread cutter(tables(), kNothing, 21);
  ScriptedThread looker(tables(), kNothing, 20);
  writer.set_groups(true);
  for (uptr a = kBase; a < kEnd; a += kBytes) writer.write(a, kBytes);
  cutter.acquire(writer.knows());
  std::atomic<uptr> next = kBase;
  std::thread other([&] {
    for (uptr a = kBase; a < kEnd; a += kBytes) {
      next.store(a, std::memory_order_relaxed);
      cutter.read(a + 8, 8);
    }
    next = kEnd;
  });
  uptr wrong = 0;
  for (uptr a; (a = next.load(std::memory_order_relaxed)) != kEnd;)
    wrong += looker.look(a + 16, 8, false).empty() || looker.look(a, 8, false).empty() ? 1 : 0;
  other.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace bigfoot::rt::testing
