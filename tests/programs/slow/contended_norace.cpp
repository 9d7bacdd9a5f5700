// RUN: %clangxx %s %support -o %t
// RUN: %run_clean --timeout 300 %t

// Eight threads hammer shared data: atomics, one lock, read-mostly data, blocks handed around.
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "script.h"

constexpr int kThreads = 8, kRounds = 20000;
std::mutex mutex;
std::shared_mutex table_mutex;
std::atomic<long> counter;
std::shared_ptr<std::vector<int>> handed = std::make_shared<std::vector<int>>(16);
long under_lock;
int table[64];

void hammer(int id) {
  for (int i = 0; i < kRounds; ++i) {
    counter.fetch_add(1, std::memory_order_relaxed);
    std::shared_ptr<std::vector<int>> mine;
    {
      std::lock_guard lock(mutex);
      ++under_lock;
      mine = handed;
      if (i % 64 == id) handed = std::make_shared<std::vector<int>>(16);
    }
    keep((*mine)[static_cast<size_t>(i % 16)]);
    if (i % 1000 == id) {
      std::unique_lock lock(table_mutex);
      table[i % 64] = id;
    } else {
      std::shared_lock lock(table_mutex);
      keep(table[i % 64]);
    }
  }
}

int main() {
  std::vector<std::jthread> threads;
  for (int id = 0; id < kThreads; ++id) threads.emplace_back(hammer, id);
  threads.clear();
  return counter == kThreads * kRounds && under_lock == kThreads * kRounds ? 0 : 1;
}
