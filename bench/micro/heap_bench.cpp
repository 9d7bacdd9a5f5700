// The program's heap against the C library's, on the patterns that decide: a pair of malloc and
// free, a window of live blocks, blocks freed by another thread.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "runtime/heap/heap.h"

namespace {

namespace heap = bigfoot::rt::heap;

struct Ours {
  static void* take(std::size_t n) {
    return heap::allocate(n, heap::kMinAlign, false, bigfoot::rt::Origin{1},
                          bigfoot::rt::kMainThread);
  }
  static void* take_zeroed(std::size_t n) {
    return heap::allocate(n, heap::kMinAlign, true, bigfoot::rt::Origin{1},
                          bigfoot::rt::kMainThread);
  }
  static void give(void* p) { heap::deallocate(p); }
};

struct Libc {
  static void* take(std::size_t n) { return std::malloc(n); }
  static void* take_zeroed(std::size_t n) { return std::calloc(1, n); }
  static void give(void* p) { std::free(p); }
};

template <class Heap>
void pair(benchmark::State& state) {
  auto size = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    void* p = Heap::take(size);
    benchmark::DoNotOptimize(p);
    Heap::give(p);
  }
}

template <class Heap>
void zeroed_pair(benchmark::State& state) {
  auto size = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    void* p = Heap::take_zeroed(size);
    benchmark::DoNotOptimize(p);
    Heap::give(p);
  }
}

// 10,000 live blocks of 16 to 512 bytes; each step replaces a random one.
template <class Heap>
void window(benchmark::State& state) {
  std::mt19937 random(1);
  std::vector<void*> live(10000);
  std::vector<std::pair<unsigned, unsigned>> steps(1 << 16);
  for (auto& [slot, size] : steps) slot = random() % 10000u, size = 16 + random() % 497;
  std::size_t i = 0;
  for (auto& p : live) p = Heap::take(16 + random() % 497);
  for (auto _ : state) {
    auto [slot, size] = steps[i++ & 0xffff];
    Heap::give(live[slot]);
    live[slot] = Heap::take(size);
  }
  for (void* p : live) Heap::give(p);
}

// All blocks of a burst are made, then all freed: what a parser or a phase of a compiler does.
template <class Heap>
void burst(benchmark::State& state) {
  std::vector<void*> blocks(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    for (auto& p : blocks) p = Heap::take(48);
    for (auto& p : blocks) Heap::give(p);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

#pragma clang diagnostic ignored "-Wc2y-extensions"  // BENCHMARK uses __COUNTER__
BENCHMARK(pair<Libc>)->Arg(32)->Arg(1000)->Arg(20000)->Arg(300000);
BENCHMARK(pair<Ours>)->Arg(32)->Arg(1000)->Arg(20000)->Arg(300000);
BENCHMARK(zeroed_pair<Libc>)->Arg(64)->Arg(1000)->Arg(20000);
BENCHMARK(zeroed_pair<Ours>)->Arg(64)->Arg(1000)->Arg(20000);
BENCHMARK(window<Libc>);
BENCHMARK(window<Ours>);
BENCHMARK(burst<Libc>)->Arg(1000)->Arg(100000);
BENCHMARK(burst<Ours>)->Arg(1000)->Arg(100000);
BENCHMARK(window<Libc>)->Threads(2);
BENCHMARK(window<Ours>)->Threads(2);

}  // namespace

BENCHMARK_MAIN();
