// RUN: %clangxx --bigfoot-rt=check %s %support -o %t
// RUN: env BIGFOOT_OPTIONS="test_stamp_chunks=400 test_read_sets=2000" %run_clean --timeout 300 %t
// REQUIRES: bigfoot

// Eight threads hammer shared data under the run time's own checks, with so few names for epochs and
// for sets of reads that both are collected all the time.
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

constexpr int kThreads = 8, kRounds = 200000;
std::shared_mutex table_mutex;
std::mutex mutex;
long table[64];
char text[64];
std::atomic<long> counter;

void hammer(int id) {
  long sum = 0;
  for (int i = 0; i < kRounds; ++i) {
    auto at = static_cast<size_t>(i % 64);
    if (i % 500 == id) {
      std::unique_lock lock(table_mutex);
      table[at] = id;
      reinterpret_cast<char*>(&table[at])[1] = 0;
    } else {
      std::shared_lock lock(table_mutex);
      sum += table[at] + reinterpret_cast<int*>(&table[at])[1];
    }
    counter.fetch_add(1, std::memory_order_acq_rel);
    std::lock_guard lock(mutex);
    text[at] = static_cast<char>(i);
    std::vector<char> copy(text, text + at + 1);
    sum += copy.back();
  }
  if (sum == 1) counter = 0;
}

int main() {
  std::vector<std::jthread> threads;
  for (int id = 0; id < kThreads; ++id) threads.emplace_back(hammer, id);
  threads.clear();
  return counter >= 0 ? 0 : 1;
}
