// Stopping the world, by what the threads do to its lock: a wait gives it back once more.
#include "frontends/bfj/vm/world.h"

#include <gtest/gtest.h>

#include <semaphore>
#include <thread>

namespace bigfoot::vm {
namespace {

constexpr Actor kWorker{0, 0}, kCollector{Actor::kNobody, 1};

// How often each of the two has given the lock back, and a signal when the watched one does first.
class Releases : public Monitor {
 public:
  explicit Releases(const Actor& watched) : watched_(watched.worker) {}
  void system_acquire(const Actor& who, const void*) override { ++acquired_[who.worker]; }
  void system_release(const Actor& who, const void*) override {
    if (++released_[who.worker] == 1 && who.worker == watched_) first.release();
  }
  int released(const Actor& who) const { return released_[who.worker]; }
  int acquired(const Actor& who) const { return acquired_[who.worker]; }

  std::binary_semaphore first{0};

 private:
  const std::uint32_t watched_;
  int released_[2] = {}, acquired_[2] = {};  // under the world's lock
};

TEST(World, StoppingWaitsForThoseInside) {
  Releases releases(kCollector);
  World world(releases);
  world.enter(kWorker);
  int at_stop = 0;
  std::thread collector([&] {
    world.stop(kCollector);
    at_stop = releases.released(kCollector);
    world.resume(kCollector);
  });
  releases.first.acquire();  // it waits: we are inside
  world.safepoint(kWorker);
  collector.join();
  world.leave(kWorker);
  EXPECT_GE(at_stop, 2) << "once to wait, once at the end";
}

TEST(World, NobodyEntersAStoppedWorld) {
  Releases releases(kWorker);
  World world(releases);
  world.stop(kCollector);
  int at_entry = 0;
  std::thread worker([&] {
    world.enter(kWorker);
    at_entry = releases.released(kWorker);
    world.leave(kWorker);
  });
  releases.first.acquire();  // it waits: the world is stopped
  world.resume(kCollector);
  worker.join();
  EXPECT_GE(at_entry, 2);
}

TEST(World, ASafepointTakesNoLockUnlessSomebodyWantsIt) {
  Releases releases(kCollector);
  World world(releases);
  world.enter(kWorker);
  for (int i = 0; i < 3; ++i) world.safepoint(kWorker);
  EXPECT_EQ(releases.acquired(kWorker), 1);
  world.leave(kWorker);
  world.stop(kCollector);
  world.resume(kCollector);
  world.enter(kWorker);
  world.safepoint(kWorker);
  EXPECT_EQ(releases.acquired(kWorker), 3) << "nobody wants it any more";
}

TEST(World, OneStopsItAtATime) {
  Releases releases(kWorker);
  World world(releases);
  world.stop(kCollector);
  bool stopped = false;
  std::thread second([&] {
    world.stop(kWorker);
    stopped = releases.released(kWorker) >= 2;
    world.resume(kWorker);
  });
  releases.first.acquire();
  world.resume(kCollector);
  second.join();
  EXPECT_TRUE(stopped);
}

}  // namespace
}  // namespace bigfoot::vm
