// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A thread that has loaded an atomic loads it again in the same epoch: the second load learns what
// was released in between, by whichever operation, and what the first one only saw.
#include <atomic>

#include "script.h"
#include "spawn.h"

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

struct alignas(64) Message {
  std::atomic<int> flag;
  int data;
};
Message messages[7];
int points = 0;

// The reader has looked at the flag twice when the writer writes.
template <class Release>
void between_loads(Message& m, Release release) {
  const int looked = points++, written = points++;
  run_threads(
      [&] {
        script_wait(looked);
        m.data = 1;
        release(m.flag);
        script_post(written);
      },
      [&] {
        require(m.flag.load(kAcquire) == 0);
        require(m.flag.load(kAcquire) == 0);
        script_post(looked);
        script_wait(written);
        require(m.flag.load(kAcquire) == 1);
        m.data = 2;
      });
}

// The reader has seen the flag twice by relaxed loads, and then acquires.
template <class Acquire>
void after_seen(Message& m, Acquire acquire) {
  const int written = points++;
  run_threads(
      [&] {
        m.data = 1;
        m.flag.store(1, kRelease);
        script_post(written);
      },
      [&] {
        script_wait(written);
        require(m.flag.load(kRelaxed) == 1);
        require(m.flag.load(kRelaxed) == 1);
        acquire(m.flag);
        m.data = 2;
      });
}

}  // namespace

int main() {
  between_loads(messages[0], [](std::atomic<int>& a) { a.store(1, kRelease); });
  between_loads(messages[1], [](std::atomic<int>& a) { a.fetch_add(1, kRelease); });
  between_loads(messages[2], [](std::atomic<int>& a) { a.exchange(1, kRelease); });
  between_loads(messages[3], [](std::atomic<int>& a) {
    int expected = 0;
    require(a.compare_exchange_strong(expected, 1, kRelease, kRelaxed));
  });
  between_loads(messages[4], [](std::atomic<int>& a) {
    std::atomic_thread_fence(kRelease);
    a.store(1, kRelaxed);
  });
  after_seen(messages[5], [](std::atomic<int>& a) { require(a.load(kAcquire) == 1); });
  after_seen(messages[6], [](std::atomic<int>&) { std::atomic_thread_fence(kAcquire); });
}
