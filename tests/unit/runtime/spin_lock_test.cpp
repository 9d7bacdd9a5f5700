#include "runtime/base/spin_lock.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/sys/sys.h"

namespace bigfoot::rt {
namespace {

static_assert(sizeof(SpinLock) == sizeof(u32));
u32 state_of(const SpinLock& lock) {
  return load_relaxed(reinterpret_cast<const u32*>(&lock));
}
void set_state(SpinLock& lock, u32 state) {
  store_release(reinterpret_cast<u32*>(&lock), state);
}
constexpr u32 kFree = 0, kWaited = 2;

// Until the kernel says that the thread sleeps.
void wait_until_asleep(int thread) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
  for (;;) {
    std::ifstream in(path);
    const std::string line{std::istreambuf_iterator<char>(in), {}};
    if (line.at(line.rfind(')') + 2) == 'S') return;
    sys::yield_cpu();
  }
}

TEST(SpinLock, IsFreeAgainAfterEachHolder) {
  SpinLock lock;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(lock.try_lock());
    EXPECT_FALSE(lock.try_lock());
    lock.unlock();
    EXPECT_EQ(state_of(lock), kFree);
  }
}

// Somebody is seen to sleep: the lock is free for him, and he is woken.
TEST(SpinLock, WakesWhoSleeps) {
  SpinLock lock;
  lock.lock();
  std::thread sleeper([&] { SpinGuard guard(lock); });
  while (state_of(lock) != kWaited) sys::yield_cpu();
  lock.unlock();
  sleeper.join();
  EXPECT_TRUE(lock.try_lock());
}

// A holder that looked before the sleeper said so stores "free" over it and wakes nobody.
TEST(SpinLock, SleeperWhomNobodyWakesLooksAgain) {
  SpinLock lock;
  lock.lock();
  std::atomic<int> id{0};
  std::thread sleeper([&] {
    id = gettid();
    SpinGuard guard(lock);
  });
  while (state_of(lock) != kWaited) sys::yield_cpu();
  wait_until_asleep(id);
  set_state(lock, kFree);
  sleeper.join();
  EXPECT_TRUE(lock.try_lock());
}

TEST(SpinLock, OneHolderAtATime) {
  constexpr int kThreads = 4, kRounds = 100'000;
  SpinLock lock;
  u64 count = 0;  // torn or lost if two are inside
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < kRounds; ++k) {
        SpinGuard guard(lock);
        ++count;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(count, u64{kThreads} * kRounds);
}

}  // namespace
}  // namespace bigfoot::rt
