// Two real threads that begin each round of a test together.
#pragma once

#include <atomic>
#include <thread>

namespace bigfoot::rt::testing {

// Both watch each other instead of being woken, so that they really meet if there are two
// processors. No verdict depends on it.
class Rendezvous {
 public:
  void arrive_and_wait() {
    const int mine = arrived_.fetch_add(1) / 2;
    while (arrived_.load() / 2 == mine) std::this_thread::yield();
  }

 private:
  std::atomic<int> arrived_ = 0;
};

}  // namespace bigfoot::rt::testing
