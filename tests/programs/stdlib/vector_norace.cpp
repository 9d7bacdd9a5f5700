// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Different elements of one vector may be written at the same time; growing is done under a lock.
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::vector<int> fixed(4);
  std::vector<int> growing;
  std::mutex mutex;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 50; ++k) {
        fixed[i] += k;
        std::lock_guard lock(mutex);
        growing.push_back(k);
      }
    });
  threads.clear();
  return fixed[3] == 1225 && growing.size() == 200 ? 0 : 1;
}
