// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Look-ups in a map that nobody changes, and of one that is changed under a lock.
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

int main() {
  const std::map<std::string, int> fixed = {{"one", 1}, {"two", 2}};
  std::unordered_map<int, std::string> cache;
  std::mutex mutex;
  auto work = [&](int id) {
    for (int i = 0; i < 50; ++i) {
      if (fixed.at("two") != 2) _Exit(1);
      std::lock_guard lock(mutex);
      cache[i * id] = "value " + std::to_string(i);
    }
  };
  { std::jthread first(work, 1), second(work, 2), third(work, 3); }
  return cache.at(0) == "value 0" ? 0 : 1;
}
