// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// timed_mutex, recursive_mutex and recursive_timed_mutex, by the lock classes that go with them.
#include <chrono>
#include <mutex>
#include <thread>

std::timed_mutex timed;
std::recursive_mutex recursive;
std::recursive_timed_mutex both;
int counters[3];

void work() {
  for (int i = 0; i < 50; ++i) {
    {
      std::unique_lock lock(timed, std::defer_lock);
      while (!lock.try_lock_for(std::chrono::seconds(100))) {
      }
      ++counters[0];
    }
    {
      std::lock_guard outer(recursive), inner(recursive);
      ++counters[1];
    }
    {
      std::unique_lock outer(both, std::chrono::steady_clock::now() + std::chrono::hours(1));
      std::unique_lock inner(both, std::try_to_lock);
      ++counters[2];
    }
  }
}

int main() {
  { std::jthread first(work), second(work), third(work); }
  return counters[0] == 150 && counters[1] == 150 && counters[2] == 150 ? 0 : 1;
}
