// A pop from an empty queue counts the miss without the lock.
#include <mutex>
#include <thread>
#include <vector>
std::mutex lock;
std::vector<int> queue;
int misses;
void pop() {
  bool missed = true;
  {
    std::lock_guard<std::mutex> hold(lock);
    if (!queue.empty()) {
      queue.pop_back();
      missed = false;
    }
  }
  if (missed) ++misses;
}
int main() {
  for (int i = 0; i < 3; ++i) queue.push_back(i);
  auto producer = [] {
    for (int i = 0; i < 6; ++i) {
      std::lock_guard<std::mutex> hold(lock);
      queue.push_back(i);
    }
  };
  auto consumer = [] {
    for (int i = 0; i < 4; ++i) pop();
  };
  std::thread a(producer), b(producer), c(consumer), d(consumer);
  a.join();
  b.join();
  c.join();
  d.join();
}
