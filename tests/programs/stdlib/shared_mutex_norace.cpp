// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// shared_mutex and shared_timed_mutex: many readers or one writer.
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "script.h"

std::shared_mutex mutex;
std::shared_timed_mutex timed;
int value, timed_value;

int main() {
  std::jthread threads[4];
  for (int i = 0; i < 4; ++i)
    threads[i] = std::jthread([i] {
      for (int round = 0; round < 50; ++round) {
        if (round % 4 == i) {
          std::unique_lock lock(mutex);
          ++value;
          std::unique_lock timed_lock(timed, std::chrono::hours(1));
          ++timed_value;
        } else {
          std::shared_lock lock(mutex);
          keep(value);
          std::shared_lock timed_lock(timed, std::chrono::hours(1));
          keep(timed_value);
        }
      }
    });
  for (auto& thread : threads) thread.join();
  return value == 50 && timed_value == 50 ? 0 : 1;
}
