// The malloc family, operator new and delete, and mappings.
#include <errno.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/heap/heap.h"
#include "tests/unit/runtime/recorded_events.h"

namespace bigfoot::rt::testing {
namespace {

using Events = std::vector<std::string>;

// The optimiser may drop a pair of new and delete, or malloc and free.
template <class T>
T* kept(T* p) {
  asm volatile("" : "+r"(p) : : "memory");
  return p;
}
volatile usize kHuge = usize{1} << 60;
volatile usize kOddAlign = 24;

TEST(InterceptMemory, ABlockIsLiveAtBothItsEvents) {
  Recording r;
  void* p = kept(malloc(100));
  bool live = false;
  r.at("memory_freed", p, [&] { live = heap::is_live_start(p); });
  free(p);
  EXPECT_FALSE(heap::is_live_start(p));
  EXPECT_EQ(r.in(p, 100), (Events{"T0 memory_allocated 0..100", "T0 memory_freed 0..100"}));
  EXPECT_TRUE(live) << "the end must be told before the memory can be anyone else's";
}

TEST(InterceptMemory, CallocWrites) {
  Recording r;
  auto* p = static_cast<char*>(kept(calloc(10, 7)));
  for (int i = 0; i < 70; ++i) EXPECT_EQ(p[i], 0);
  free(p);
  EXPECT_EQ(r.in(p, 70), (Events{"T0 memory_allocated 0..70", "T0 access write 0..70",
                                 "T0 memory_freed 0..70"}));
}

TEST(InterceptMemory, ReallocIsANewBlockACopyAndTheEndOfTheOldOne) {
  Recording r;
  auto* p = static_cast<char*>(kept(malloc(40)));
  memcpy(p, "contents", 9);
  auto* q = static_cast<char*>(kept(realloc(p, 5000)));
  ASSERT_NE(p, q);
  EXPECT_STREQ(q, "contents");
  EXPECT_EQ(r.in(p, 40), (Events{"T0 memory_allocated 0..40", "T0 memory_freed 0..40"}));
  EXPECT_EQ(r.in(q, 5000), (Events{"T0 memory_allocated 0..5000", "T0 access write 0..40"}));
  free(q);
}

TEST(InterceptMemory, ReallocInPlaceHasTheSameEvents) {
  Recording r;
  void* p = kept(malloc(100));
  void* q = kept(realloc(p, 110));
  ASSERT_EQ(p, q);
  EXPECT_EQ(r.in(p, 110), (Events{"T0 memory_allocated 0..100", "T0 memory_freed 0..100",
                                  "T0 memory_allocated 0..110", "T0 access write 0..100"}));
  EXPECT_EQ(malloc_usable_size(q), 110u);
  free(q);
}

TEST(InterceptMemory, CornersOfRealloc) {
  Recording r;
  void* p = kept(realloc(nullptr, 10));
  EXPECT_NE(p, nullptr);
  EXPECT_EQ(realloc(p, 0), nullptr);
  EXPECT_FALSE(heap::is_live_start(p)) << "as the C library does: size 0 frees";
  p = kept(malloc(10));
  EXPECT_EQ(realloc(p, kHuge), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_TRUE(heap::is_live_start(p)) << "a failed realloc leaves the block alone";
  errno = 0;
  EXPECT_EQ(reallocarray(p, kHuge, kHuge), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  free(p);
}

TEST(InterceptMemory, Failures) {
  Recording r;
  errno = 0;
  EXPECT_EQ(malloc(kHuge), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  errno = 0;
  EXPECT_EQ(calloc(kHuge, kHuge), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  void* p = nullptr;
  EXPECT_EQ(posix_memalign(&p, kOddAlign, 8), EINVAL);
  EXPECT_EQ(posix_memalign(&p, 2, 8), EINVAL);
  EXPECT_EQ(posix_memalign(&p, 64, kHuge), ENOMEM);
  free(nullptr);
}

TEST(InterceptMemory, AlignedForms) {
  Recording r;
  void* p = nullptr;
  ASSERT_EQ(posix_memalign(&p, 256, 100), 0);
  EXPECT_EQ(reinterpret_cast<uptr>(p) % 256, 0u);
  free(p);
  p = kept(aligned_alloc(4096, 8192));
  EXPECT_EQ(reinterpret_cast<uptr>(p) % 4096, 0u);
  free(p);
  p = kept(memalign(kOddAlign * 2, 10));  // rounded up to 64
  EXPECT_EQ(reinterpret_cast<uptr>(p) % 64, 0u);
  free(p);
  p = kept(valloc(10));
  EXPECT_EQ(reinterpret_cast<uptr>(p) % 4096, 0u);
  EXPECT_EQ(malloc_usable_size(p), 10u);
  free(p);
  p = kept(pvalloc(10));
  EXPECT_EQ(malloc_usable_size(p), 4096u);
  free(p);
}

TEST(InterceptMemory, ABlockMadeUnwatchedHasNoEventsWhoeverFreesIt) {
  Recording r;
  void *p, *q;
  {
    InsideRuntime inside;
    p = kept(malloc(100));
    q = kept(malloc(100));
  }
  free(p);
  EXPECT_EQ(r.in(p, 100), Events{});
  void* moved = kept(realloc(q, 9000));
  EXPECT_EQ(r.in(q, 100), Events{});
  EXPECT_EQ(r.in(moved, 9000), (Events{"T0 memory_allocated 0..9000", "T0 access write 0..100"}))
      << "from here on it is the program's";
  free(moved);
}

TEST(InterceptMemory, BlocksFromElsewhereGoBackThere) {
  // strdup is the C library's, and calls our malloc; getline of a memory stream likewise. What the
  // library allocated before us, or with its private names, must reach the library.
  Recording r;
  char* copy = kept(strdup("text"));
  EXPECT_TRUE(heap::owns(copy));
  free(copy);
}

TEST(InterceptMemoryDeathTest, ADoubleFreeIsSaidAndAborts) {
  auto free_twice = [] {
    void* p = kept(malloc(10));
    free(p);
    free(kept(p));
  };
  EXPECT_EXIT(free_twice(), ::testing::KilledBySignal(SIGABRT), "the block has been freed already");
  auto free_inside = [] { free(kept(static_cast<char*>(malloc(10)) + 1)); };
  EXPECT_EXIT(free_inside(), ::testing::KilledBySignal(SIGABRT), "not the start of a block");
}

// --- operator new and delete
// --------------------------------------------------------------------------

TEST(InterceptNew, EveryFormAllocatesAndFreesWithItsEvents) {
  constexpr std::align_val_t kAlign{128};
  Recording r;
  auto check = [&](void* p, auto free_it, usize align) {
    EXPECT_EQ(reinterpret_cast<uptr>(p) % align, 0u);
    EXPECT_TRUE(heap::is_live_start(p));
    free_it(kept(p));
    EXPECT_FALSE(heap::is_live_start(p));
    Events e = r.in(p, 24);
    ASSERT_GE(e.size(), 2u);
    EXPECT_EQ(e[e.size() - 2], "T0 memory_allocated 0..24");
    EXPECT_EQ(e[e.size() - 1], "T0 memory_freed 0..24");
  };
  check(
      operator new(24), [](void* p) { operator delete(p); }, 16);
  check(
      operator new(24), [](void* p) { operator delete (p, usize{24}); }, 16);
  check(
      operator new[](24), [](void* p) { operator delete[](p); }, 16);
  check(
      operator new[](24), [](void* p) { operator delete[](p, usize{24}); }, 16);
  check(
      operator new(24, std::nothrow), [](void* p) { operator delete(p, std::nothrow); }, 16);
  check(
      operator new[](24, std::nothrow), [](void* p) { operator delete[](p, std::nothrow); }, 16);
  check(
      operator new(24, kAlign), [&](void* p) { operator delete(p, kAlign); }, 128);
  check(
      operator new(24, kAlign), [&](void* p) { operator delete(p, 24, kAlign); }, 128);
  check(
      operator new[](24, kAlign), [&](void* p) { operator delete[](p, kAlign); }, 128);
  check(
      operator new[](24, kAlign), [&](void* p) { operator delete[](p, 24, kAlign); }, 128);
  check(
      operator new(24, kAlign, std::nothrow),
      [&](void* p) { operator delete(p, kAlign, std::nothrow); }, 128);
  check(
      operator new[](24, kAlign, std::nothrow),
      [&](void* p) { operator delete[](p, kAlign, std::nothrow); }, 128);
}

TEST(InterceptNew, WithoutMemoryTheLibraryThrows) {
  Recording r;
  EXPECT_THROW(kept(operator new(kHuge)), std::bad_alloc);
  EXPECT_THROW(kept(operator new[](kHuge)), std::bad_alloc);
  EXPECT_THROW(kept(operator new (kHuge, std::align_val_t{64})), std::bad_alloc);
  EXPECT_EQ(kept(operator new(kHuge, std::nothrow)), nullptr);
  EXPECT_EQ(kept(operator new[](kHuge, std::nothrow)), nullptr);
  static int handled;
  handled = 0;
  std::set_new_handler([] {
    ++handled;
    std::set_new_handler(nullptr);
  });
  EXPECT_THROW(kept(operator new(kHuge)), std::bad_alloc);
  EXPECT_EQ(handled, 1);
}

// --- mappings
// -----------------------------------------------------------------------------------------

TEST(InterceptMappings, HistoryEndsWhereNobodyElseCanHaveTheMemory) {
  constexpr usize kPage = 4096;
  Recording r;
  void* p = mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(p, MAP_FAILED);
  bool mapped = true;
  r.at("memory_unmapped", p, [&] {
    unsigned char v;
    mapped = mapped && mincore(p, kPage, &v) == 0;
  });
  munmap(p, 4 * kPage);
  EXPECT_EQ(r.in(p, 4 * kPage),
            (Events{"T0 memory_mapped 0..16384", "T0 memory_unmapped 0..16384"}));
  EXPECT_TRUE(mapped);
}

TEST(InterceptMappings, MremapMovesShrinksAndGrows) {
  constexpr usize kPage = 4096;
  void* hint = mmap(nullptr, 64 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* target = static_cast<char*>(hint) + 32 * kPage;
  Recording r;
  void* p =
      mmap(hint, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  ASSERT_EQ(mremap(p, 4 * kPage, 2 * kPage, 0), p);
  void* q = mremap(p, 2 * kPage, 3 * kPage, MREMAP_MAYMOVE | MREMAP_FIXED, target);
  ASSERT_EQ(q, target);
  EXPECT_EQ(r.in(p, 4 * kPage),
            (Events{"T0 memory_mapped 0..16384", "T0 memory_unmapped 8192..16384",
                    "T0 memory_moved from 0..8192", "T0 memory_unmapped 0..8192"}));
  EXPECT_EQ(r.in(q, 4 * kPage),
            (Events{"T0 memory_mapped 0..12288", "T0 memory_moved to 0..8192"}));
  munmap(hint, 64 * kPage);
}

TEST(InterceptMappings, LargeOnesThatCanBeAccessedAreArrays) {
  constexpr usize kLarge = usize{64} << 10;
  constexpr int kBoth = PROT_READ | PROT_WRITE, kPrivate = MAP_PRIVATE | MAP_ANONYMOUS;
  auto event_of = [](usize bytes, int protection, int flags) {
    Recording r;
    void* p = mmap(nullptr, bytes, protection, flags, -1, 0);
    const Events events = r.in(p, 2 * kLarge);
    munmap(p, bytes);
    return events.empty() ? "" : events[0];
  };
  EXPECT_EQ(event_of(kLarge, kBoth, kPrivate), "T0 array_mapped 0..65536");
  EXPECT_EQ(event_of(kLarge + 1, PROT_READ, kPrivate), "T0 array_mapped 0..69632");
  EXPECT_EQ(event_of(kLarge - 1, kBoth, kPrivate), "T0 memory_mapped 0..65536");
  EXPECT_EQ(event_of(kLarge, PROT_NONE, kPrivate), "T0 memory_mapped 0..65536");
  EXPECT_EQ(event_of(kLarge, kBoth, kPrivate | MAP_STACK), "T0 memory_mapped 0..65536");
}

TEST(InterceptMappings, WhatMremapAddsInPlaceIsAMappingOfItsOwn) {
  constexpr usize kLarge = usize{64} << 10;
  void* p = mmap(nullptr, 2 * kLarge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_EQ(mremap(p, 2 * kLarge, kLarge, 0), p);
  Recording r;
  ASSERT_EQ(mremap(p, kLarge, 2 * kLarge, 0), p);
  EXPECT_EQ(r.in(p, 2 * kLarge), (Events{"T0 array_mapped 65536..131072"}));
  munmap(p, 2 * kLarge);
}

TEST(InterceptMappings, AFailedCallIsNoEvent) {
  Recording r;
  EXPECT_EQ(mmap(nullptr, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), MAP_FAILED);
  EXPECT_EQ(r.count("memory_mapped"), 0u);
}

}  // namespace
}  // namespace bigfoot::rt::testing
