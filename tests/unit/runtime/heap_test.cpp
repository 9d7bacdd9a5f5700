// The heap's contract, one point at a time.
#include "runtime/heap/heap.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "runtime/heap/size_classes.h"
#include "runtime/heap/slab_runs.h"

namespace bigfoot::rt::heap {
namespace {

constexpr ThreadId kT{7};

void* take(usize size, usize align = kMinAlign, bool zeroed = false, u32 origin = 1) {
  return allocate(size, align, zeroed, Origin{origin}, kT);
}
uptr at(void* p) {
  return reinterpret_cast<uptr>(p);
}

TEST(SizeClasses, ReciprocalDividesEveryOffsetOfASlabExactly) {
  for (unsigned c = 0; c < kClassCount; ++c)
    for (usize offset = 0; offset < kSlabBytes; ++offset)
      ASSERT_EQ(block_at_offset(static_cast<SizeClass>(c), offset),
                offset / kClasses.info[c].bytes);
}

TEST(SizeClasses, EverySizeGetsTheSmallestClassThatHoldsIt) {
  for (usize size = 0; size <= kMaxSmallBytes; ++size) {
    unsigned c = index(class_of_size(size));
    ASSERT_GE(kClasses.info[c].bytes, size);
    if (c > 0) ASSERT_LT(kClasses.info[c - 1].bytes, size);
  }
}

TEST(SizeClasses, AtMostAThirdOfABlockAndAnEighthOfASlabAreWasted) {
  for (unsigned c = 8; c < kClassCount; ++c) {
    usize bytes = kClasses.info[c].bytes;
    usize smallest_user = kClasses.info[c - 1].bytes + 1;
    EXPECT_LE(bytes - smallest_user, bytes / 3 + kLine) << bytes;
    usize rest = kSlabBytes - kClasses.info[c].blocks_per_slab * bytes;
    EXPECT_LE(rest, kSlabBytes / 8) << bytes;
  }
}

TEST(Heap, NothingIsOursOutsideOfIt) {
  int local = 0;
  EXPECT_FALSE(owns(&local));
  EXPECT_FALSE(owns(nullptr));
  EXPECT_FALSE(is_live_start(&local));
  EXPECT_EQ(find(at(&local)).bytes.size, 0u);
}

TEST(Heap, FactsOfABlockAreFoundFromAnyOfItsBytes) {
  for (usize size : {1, 15, 16, 17, 100, 1000, 5000, 32768, 32769, 65536, 65537, 1 << 20}) {
    void* p = take(size, kMinAlign, false, 42);
    ASSERT_NE(p, nullptr);
    EXPECT_TRUE(owns(p));
    EXPECT_TRUE(is_live_start(p));
    EXPECT_EQ(usable_size(p), size);
    for (usize offset : {usize{0}, size / 2, size - 1}) {
      Block b = find(at(p) + offset);
      EXPECT_EQ(b.bytes.begin, at(p));
      EXPECT_EQ(b.bytes.size, size);
      EXPECT_EQ(b.allocated, Origin{42});
      EXPECT_EQ(b.thread, kT);
      EXPECT_TRUE(b.live);
    }
    if (size > 1) EXPECT_FALSE(is_live_start(static_cast<char*>(p) + 1));
    deallocate(p);
  }
}

TEST(Heap, BytesBehindTheRequestedSizeBelongToNoBlock) {
  void* p = take(20);
  EXPECT_EQ(find(at(p) + 19).bytes.begin, at(p));
  EXPECT_EQ(find(at(p) + 20).bytes.size, 0u);
  deallocate(p);
  void* large = take(70000);
  EXPECT_EQ(find(at(large) + 70000).bytes.size, 0u);
  deallocate(large);
}

TEST(Heap, AFreedBlockIsKnownAsFreedUntilItIsUsedAgain) {
  for (usize size : {24, 4000, 200000}) {
    void* p = take(size, kMinAlign, false, 9);
    deallocate(p);
    Block b = find(at(p) + size / 2);
    EXPECT_EQ(b.bytes.begin, at(p));
    EXPECT_EQ(b.bytes.size, size);
    EXPECT_EQ(b.allocated, Origin{9});
    EXPECT_FALSE(b.live);
    EXPECT_FALSE(is_live_start(p));
  }
}

TEST(Heap, PartOfAFreedLargeBlockUsedAgainIsTheNewBlocks) {
  constexpr usize kSlabs = 10;
  void* old_block = take(kSlabs * kSlabBytes, kMinAlign, false, 1);
  deallocate(old_block);
  // Blocks of two slabs until one lies in the old block.
  std::vector<void*> fresh;
  do fresh.push_back(take(2 * kSlabBytes, kMinAlign, false, 2));
  while (at(fresh.back()) - at(old_block) >= kSlabs * kSlabBytes);
  for (usize i = 0; i < kSlabs; ++i) {
    uptr a = at(old_block) + i * kSlabBytes + 100;
    Block b = find(a);
    EXPECT_TRUE(b.bytes.size == 0 || b.bytes.contains(a));
    bool in_fresh = a - at(fresh.back()) < 2 * kSlabBytes;
    EXPECT_EQ(in_fresh, b.live) << "slab " << i;
    EXPECT_EQ(in_fresh, b.allocated == Origin{2}) << "slab " << i;
  }
  for (void* p : fresh) deallocate(p);
}

TEST(Heap, EmptyBlocksAreDistinct) {
  void* a = take(0);
  void* b = take(0);
  EXPECT_NE(a, nullptr);
  EXPECT_NE(a, b);
  EXPECT_EQ(find(at(a)).bytes.begin, at(a));
  EXPECT_TRUE(find(at(a)).live);
  deallocate(a);
  deallocate(b);
}

TEST(Heap, EveryPowerOfTwoOfAlignmentIsKept) {
  for (usize align = 1; align <= usize{1} << 22; align *= 2)
    for (usize size : {usize{0}, usize{1}, usize{48}, usize{5000}, usize{100000}}) {
      void* p = take(size, align);
      ASSERT_NE(p, nullptr) << size << " aligned to " << align;
      EXPECT_EQ(at(p) % align, 0u) << size << " aligned to " << align;
      EXPECT_EQ(at(p) % kMinAlign, 0u);
      EXPECT_EQ(find(at(p)).bytes.begin, at(p));
      deallocate(p);
    }
  EXPECT_TRUE(slab_runs.is_valid());
}

TEST(Heap, ZeroedMeansZeroAlsoWhereOthersWroteBefore) {
  for (usize size : {1, 16, 100, 1024, 3000, 30000, 70000, 1 << 20}) {
    for (int round = 0; round < 3; ++round) {
      auto* p = static_cast<unsigned char*>(take(size, kMinAlign, true));
      for (usize i = 0; i < size; ++i) ASSERT_EQ(p[i], 0) << size << "[" << i << "]";
      std::memset(p, 0xab, size);
      deallocate(p);
    }
  }
}

TEST(Heap, ResizingInPlaceKeepsAddressAndChangesFacts) {
  void* p = take(100, kMinAlign, false, 1);
  EXPECT_TRUE(resize_in_place(p, 110, Origin{5}, ThreadId{3}));
  EXPECT_EQ(usable_size(p), 110u);
  EXPECT_EQ(find(at(p)).allocated, Origin{5});
  EXPECT_EQ(find(at(p)).thread, ThreadId{3});
  EXPECT_FALSE(resize_in_place(p, 10000, Origin{5}, kT));
  EXPECT_FALSE(resize_in_place(p, 8, Origin{5}, kT)) << "a shrunken block must give memory back";
  deallocate(p);
  void* large = take(100000);
  EXPECT_TRUE(resize_in_place(large, 131072, Origin{6}, kT));
  EXPECT_EQ(usable_size(large), 131072u);
  EXPECT_FALSE(resize_in_place(large, 131073, Origin{6}, kT));
  deallocate(large);
}

TEST(Heap, WhatCannotBeThereIsRefused) {
  EXPECT_EQ(take(usize{1} << 50), nullptr);
  EXPECT_EQ(take(~usize{0}), nullptr);
  EXPECT_EQ(take(~usize{0} - 100), nullptr);
  EXPECT_EQ(take(1, usize{1} << 50), nullptr);
  EXPECT_EQ(take(1, usize{1} << 63), nullptr);
}

usize resident_bytes() {
  FILE* f = std::fopen("/proc/self/statm", "r");
  unsigned long size = 0, resident = 0;
  EXPECT_EQ(std::fscanf(f, "%lu %lu", &size, &resident), 2);
  std::fclose(f);
  return resident * 4096;
}

TEST(Heap, FreedMemoryGoesBackToTheSystem) {
  constexpr usize kTotal = usize{256} << 20;
  usize before = resident_bytes();
  for (usize size : {usize{4096}, usize{1} << 20}) {
    std::vector<void*> blocks;
    for (usize n = 0; n < kTotal / size; ++n) {
      blocks.push_back(take(size));
      std::memset(blocks.back(), 1, size);
    }
    ASSERT_GE(resident_bytes(), before + kTotal);
    for (void* p : blocks) deallocate(p);
    // 32 MiB may stay dirty; the facts (1/256 of 4 KiB blocks) stay too.
    EXPECT_LT(resident_bytes(), before + (usize{64} << 20)) << "blocks of " << size;
    EXPECT_TRUE(slab_runs.is_valid());
  }
}

TEST(Heap, UsageCountsLiveBlocks) {
  Usage before = usage();
  void* a = take(100);
  void* b = take(100000);
  EXPECT_EQ(usage().live_blocks, before.live_blocks + 2);
  EXPECT_EQ(usage().live_bytes, before.live_bytes + 100100);
  deallocate(a);
  deallocate(b);
  EXPECT_EQ(usage().live_blocks, before.live_blocks);
}

TEST(Heap, AThreadThatEndedItsCacheCanStillAllocateAndFree) {
  Usage before = usage();
  std::thread([] {
    void* early = take(64);
    thread_ending();
    void* late = take(64);
    EXPECT_NE(late, nullptr);
    deallocate(early);
    deallocate(late);
    thread_ending();
  }).join();
  EXPECT_EQ(usage().live_blocks, before.live_blocks);
}

// Runs `body` in a child process; true if it returned true.
template <class F>
bool in_child(F body) {
  pid_t pid = fork();
  if (pid == 0) _exit(body() ? 0 : 1);
  int status = -1;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Heap, WorksUnderALimitOnAddressSpace) {
  // The stretch of this process is reserved already, so a fresh process is needed: the child of a
  // fork is not one. Re-execute the test binary with the limit set.
  auto run_limited = [](rlim_t limit) {
    return in_child([&] {
      rlimit r{limit, limit};
      if (setrlimit(RLIMIT_AS, &r) != 0) return false;
      execl("/proc/self/exe", "unit_heap", "--gtest_filter=Heap.FactsOfABlock*:Heap.EveryPower*",
            "--gtest_brief=1", nullptr);
      return false;
    });
  };
  EXPECT_TRUE(run_limited(rlim_t{64} << 30));
  EXPECT_TRUE(run_limited(rlim_t{4} << 30));
  EXPECT_TRUE(run_limited(rlim_t{1} << 30));
}

TEST(Heap, AForkedChildHasAWorkingHeapAndTheOtherThreadsStock) {
  // The helper thread keeps freed blocks in its cache, dies with the fork, and the child must be
  // able to hand out exactly those blocks.
  constexpr usize kSize = 7168;
  std::vector<void*> freed;
  std::thread helper([&] {
    for (int i = 0; i < 4; ++i) freed.push_back(take(kSize));
    for (void* p : freed) deallocate(p);
    before_fork();
    bool good = in_child([&] {
      after_fork_child();
      std::set<void*> seen;
      for (int i = 0; i < 100; ++i) {
        void* p = take(kSize);
        if (p == nullptr || !seen.insert(p).second) return false;
        std::memset(p, 1, kSize);
      }
      return slab_runs.is_valid();
    });
    after_fork_parent();
    EXPECT_TRUE(good);
    thread_ending();
  });
  helper.join();
  // The same with the roles swapped: a thread that is not the forking one owns the cache.
  std::set<void*> cached;
  int to_helper[2], to_main[2];
  ASSERT_EQ(pipe(to_helper), 0);
  ASSERT_EQ(pipe(to_main), 0);
  std::thread owner([&] {
    std::vector<void*> mine;
    for (int i = 0; i < 4; ++i) mine.push_back(take(kSize));
    for (void* p : mine) {
      cached.insert(p);
      deallocate(p);
    }
    char c = 0;
    ASSERT_EQ(write(to_main[1], &c, 1), 1);
    ASSERT_EQ(read(to_helper[0], &c, 1), 1);
    thread_ending();
  });
  char c = 0;
  ASSERT_EQ(read(to_main[0], &c, 1), 1);
  before_fork();
  bool good = in_child([&] {
    after_fork_child();
    usize found = 0;
    for (int i = 0; i < 200; ++i) found += cached.count(take(kSize));
    return found == cached.size();
  });
  after_fork_parent();
  EXPECT_TRUE(good);
  ASSERT_EQ(write(to_helper[1], &c, 1), 1);
  owner.join();
}

}  // namespace
}  // namespace bigfoot::rt::heap
