// Real threads that commit to one array at the same time: of two that race on an element at least
// one finds out, also while the array changes its form under their hands or goes to the planes.
#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/runtime/rendezvous.h"
#include "tests/unit/runtime/scripted_threads.h"

namespace bigfoot::rt::testing {
namespace {

Tables& tables() {
  static Tables t;
  return t;
}
constexpr uptr kBase = 0x60000000;
constexpr usize kWords = 512;

Footprint words(usize first, usize count) {
  return Footprint::run(kBase + first * 8, kBase + (first + count) * 8, 8, 8);
}

struct Side {
  usize piece;  // words of one footprint
  bool down;    // from the last to the first
};

void meet(ArrayForms forms, const Side& one, const Side& other) {
  constexpr int kRounds = 150;
  SpinLock lock;
  ArrayShadow array{};
  ScriptedThread earlier(tables(), kNothing, 32);
  VectorClock ordered;
  auto prepare = [&] {
    array.release_storage();
    clear_history({kBase, kWords * 8}, nullptr, nullptr);
    array.start({kBase, kWords * 8}, forms);
    earlier.commit(array, words(0, kWords / 2), true);  // something to divide
    earlier.release(ordered);
  };
  prepare();
  std::set<uptr> found[2];
  Rendezvous together;
  auto run = [&](int id, const Side& side) {
    ScriptedThread me(tables(), kNothing, 30 + id);
    for (int round = 0; round < kRounds; ++round) {
      together.arrive_and_wait();
      me.acquire(ordered);
      for (usize i = 0; i < kWords; i += side.piece) {
        const usize first = side.down ? kWords - side.piece - i : i;
        found[id].merge(me.commit(array, words(first, side.piece), true, &lock));
      }
      together.arrive_and_wait();
      if (id == 1) continue;
      std::set<uptr> all;
      all.merge(found[0]);
      all.merge(found[1]);
      EXPECT_EQ(all.size(), kWords * 8) << "round " << round;
      prepare();
    }
  };
  std::thread second([&] { run(1, other); });
  run(0, one);
  second.join();
  array.release_storage();
}

TEST(ArrayThreads, BothSweep) {
  for (ArrayForms forms : {ArrayForms::kSegments, ArrayForms::kTable})
    meet(forms, {64, false}, {32, true});
}
TEST(ArrayThreads, OneDrivesTheArrayIntoThePlanes) {
  for (ArrayForms forms : {ArrayForms::kSegments, ArrayForms::kTable})
    meet(forms, {64, false}, {1, true});
}

}  // namespace
}  // namespace bigfoot::rt::testing
