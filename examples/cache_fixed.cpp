// cache.cpp, fixed: the counter is atomic. It only counts, so relaxed order is enough, and readers
// still do not wait for each other.
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

class Cache {
 public:
  void put(int key, const std::string& value) {
    std::unique_lock lock(mutex_);
    values_[key] = value;
  }
  std::string get(int key) {
    std::shared_lock lock(mutex_);
    auto found = values_.find(key);
    if (found == values_.end()) return "";
    hits_.fetch_add(1, std::memory_order_relaxed);
    return found->second;
  }
  long hits() const { return hits_.load(std::memory_order_relaxed); }

 private:
  std::shared_mutex mutex_;
  std::map<int, std::string> values_;
  std::atomic<long> hits_ = 0;
};

int main() {
  Cache cache;
  for (int key = 0; key < 10; ++key) cache.put(key, "value");
  auto user = [&cache] {
    for (int i = 0; i < 100; ++i) cache.get(i % 20);
  };
  std::thread first(user), second(user);
  first.join();
  second.join();
  std::printf("hits: %ld, should be 100\n", cache.hits());
}
