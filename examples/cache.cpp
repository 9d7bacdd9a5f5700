// A cache that many threads look up, under a reader/writer lock.
//
// The race: a look-up takes the lock for reading, since it "only reads"; but it also counts its
// hits. Readers hold the lock together, so they write the counter at the same time.
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
    hits_ = hits_ + 1;
    return found->second;
  }
  long hits() const { return hits_; }

 private:
  std::shared_mutex mutex_;
  std::map<int, std::string> values_;
  long hits_ = 0;
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
