// RUN: %clangxx --bigfoot-rt=check %s %support -o %t
// RUN: env BIGFOOT_OPTIONS="test_stamp_chunks=400 test_read_sets=2000" %run_clean --timeout 300 %t
// REQUIRES: bigfoot

// Eight threads hammer shared data under the run time's own checks, with so few names for epochs
// and for sets of reads that both are collected all the time.
//
// As a campaign (docs/campaigns.md) it runs for so many seconds and prints its resident memory in
// each:
//   hammer_self_check_norace 60
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

constexpr int kThreads = 8, kRounds = 200000;
bool until_stopped;  // instead of kRounds
std::atomic<bool> stopped;
std::shared_mutex table_mutex;
std::mutex mutex;
long table[64];
char text[64];
std::atomic<long> counter;

void hammer(int id) {
  long sum = 0;
  for (int i = 0; until_stopped ? !stopped : i < kRounds; ++i) {
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

long resident_kilobytes() {
  std::FILE* status = std::fopen("/proc/self/statm", "r");
  long pages = 0;
  if (status == nullptr || std::fscanf(status, "%*d %ld", &pages) != 1) std::abort();
  std::fclose(status);
  return pages * 4;
}

void watch(int seconds) {
  for (int second = 1; second <= seconds; ++second) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    std::printf("%d s: %ld rounds, %ld kB\n", second, counter.load(), resident_kilobytes());
    std::fflush(stdout);
  }
  stopped = true;
}

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 0;
  until_stopped = seconds > 0;
  std::vector<std::jthread> threads;
  for (int id = 0; id < kThreads; ++id) threads.emplace_back(hammer, id);
  watch(seconds);
  threads.clear();
  return counter >= 0 ? 0 : 1;
}
