// Rows that are no accesses: what synchronises, calls, allocates and makes threads.
#pragma once

#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "accesses.h"

namespace parity {

struct Operation {
  std::string name;
  std::function<void(std::size_t)> measured;
  std::size_t steps;    // of a timed pass
  std::size_t counted;  // of one whose instructions are counted
  bool contends = false;
};

extern "C" void parity_innermost() noexcept;  // returns; of positions.cpp

// One function that a tool may add to: it calls something that is neither checked nor known.
[[gnu::noinline]] inline void caller() {
  parity_innermost();
  asm volatile("");
}

inline void allocate(std::size_t bytes, std::size_t steps) {
  for (; steps != 0; --steps) {
    void* block = std::malloc(bytes);
    be_opaque(block);
    std::free(block);
  }
}

inline std::vector<Operation> operations() {
  static std::mutex mutex;
  static std::atomic<long> value;
  static constexpr auto repeat = [](std::size_t steps, auto&& step) {
    for (; steps != 0; --steps) step();
  };
  std::vector<Operation> all{
      {"lock-unlock", [](std::size_t n) { repeat(n, [] { const std::lock_guard l(mutex); }); },
       1024, 8, true},
      {"atomic-load",
       [](std::size_t n) { repeat(n, [] { keep(value.load(std::memory_order_acquire)); }); }, 4096,
       8, true},
      {"atomic-store",
       [](std::size_t n) { repeat(n, [] { value.store(1, std::memory_order_release); }); }, 1024, 8,
       true},
      {"atomic-exchange",
       [](std::size_t n) { repeat(n, [] { keep(value.exchange(1, std::memory_order_acq_rel)); }); },
       1024, 8, true},
      {"function", [](std::size_t n) { repeat(n, caller); }, 4096, 8},
  };
  struct Size {
    const char* name;
    std::size_t bytes, steps, counted;
  };
  // Of large blocks few: a detector may go over them.
  for (const Size& s : {Size{"16", 16, 1024, 8},
                        {"64", 64, 1024, 8},
                        {"256", 256, 1024, 8},
                        {"1K", 1 << 10, 512, 8},
                        {"4K", 4 << 10, 256, 4},
                        {"64K", 64 << 10, 32, 1},
                        {"1M", 1 << 20, 8, 1}})
    all.push_back({std::string("malloc-free-") + s.name,
                   [s](std::size_t n) { allocate(s.bytes, n); }, s.steps, s.counted});
  all.push_back(
      {"thread", [](std::size_t n) { repeat(n, [] { std::thread([] {}).join(); }); }, 8, 0});
  return all;
}

}  // namespace parity
