// Many threads on one heap: no block is handed out twice, and nothing is lost.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "runtime/heap/heap.h"
#include "runtime/heap/slab_runs.h"

namespace bigfoot::rt::heap {
namespace {

// Every live block is filled with a mark of its owner; finding another mark means that two owners
// had it at once.
struct Owned {
  unsigned char* p = nullptr;
  usize size = 0;
  unsigned char mark = 0;
  bool intact() const {
    for (usize i = 0; i < size; i += 61)
      if (p[i] != mark) return false;
    return size == 0 || p[size - 1] == mark;
  }
};

Owned make(std::mt19937& random, u32 thread) {
  Owned o;
  o.size = random() % (usize{1} << (random() % 17));
  o.mark = static_cast<unsigned char>(random());
  o.p = static_cast<unsigned char*>(
      allocate(o.size, kMinAlign, false, Origin{thread + 1}, ThreadId{thread}));
  std::memset(o.p, o.mark, o.size);
  return o;
}

TEST(HeapThreads, BlocksPassedBetweenThreadsAreNeverSharedAndNoneIsLost) {
  constexpr u32 kThreads = 6;
  constexpr int kSteps = 40000;
  Usage before = usage();
  std::random_device device;
  u32 seed = device();
  std::printf("seed %u\n", seed);
  std::array<std::atomic<Owned*>, 64> exchange{};
  std::atomic<int> broken{0};
  auto work = [&](u32 id) {
    std::mt19937 random(seed + id);
    std::vector<Owned> mine(100);
    for (int i = 0; i < kSteps; ++i) {
      Owned& o = mine[random() % mine.size()];
      if (o.p != nullptr) {
        if (!o.intact()) ++broken;
        if (find(reinterpret_cast<uptr>(o.p)).bytes.size != o.size) ++broken;
        deallocate(o.p);
        o = {};
      } else {
        o = make(random, id);
      }
      // Now and then another thread becomes the owner and frees what we allocated.
      if (i % 4 == 0) {
        Owned* give = new Owned(make(random, id));
        Owned* got = exchange[random() % exchange.size()].exchange(give);
        if (got == nullptr) continue;
        if (!got->intact()) ++broken;
        deallocate(got->p);
        delete got;
      }
    }
    for (Owned& o : mine)
      if (o.p != nullptr) deallocate(o.p);
    thread_ending();
  };
  std::vector<std::thread> threads;
  for (u32 i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& t : threads) t.join();
  for (auto& slot : exchange)
    if (Owned* left = slot.load()) {
      deallocate(left->p);
      delete left;
    }
  EXPECT_EQ(broken.load(), 0);
  EXPECT_EQ(usage().live_blocks, before.live_blocks);
  EXPECT_EQ(usage().live_bytes, before.live_bytes);
  EXPECT_TRUE(slab_runs.is_valid());
}

TEST(HeapThreads, ManyShortThreadsDoNotMakeTheHeapGrow) {
  auto one_round = [] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([] {
        std::vector<void*> blocks;
        for (usize n = 0; n < 300; ++n)
          blocks.push_back(allocate(n * 8, kMinAlign, false, kNoOrigin, kMainThread));
        for (void* p : blocks) deallocate(p);
        thread_ending();
      });
    for (std::thread& t : threads) t.join();
  };
  one_round();
  one_round();
  usize after_first = raw(slab_runs.frontier());
  for (int i = 0; i < 30; ++i) one_round();
  // Timing decides how many threads overlap, at most eight; each has at most one batch per class.
  EXPECT_LE(raw(slab_runs.frontier()), after_first + 8 * kClassCount);
}

}  // namespace
}  // namespace bigfoot::rt::heap
