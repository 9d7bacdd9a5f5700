// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// condition_variable with unique_lock, condition_variable_any with a shared lock and with a stop
// token.
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "script.h"

std::mutex mutex;
std::condition_variable changed;
std::shared_mutex shared_mutex;
std::condition_variable_any changed_any;
int item, broadcast_item;

int main() {
  std::jthread first([] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return item != 0; });
    item = 2;
    changed.notify_all();
  });
  std::jthread second([] {
    std::shared_lock lock(shared_mutex);
    changed_any.wait(lock, [] { return broadcast_item != 0; });
    keep(broadcast_item);
  });
  std::jthread third([](std::stop_token stop) {
    std::unique_lock lock(shared_mutex);
    changed_any.wait(lock, stop, [] { return broadcast_item == 99; });
  });
  {
    std::unique_lock lock(mutex);
    item = 1;
    changed.notify_one();
    changed.wait(lock, [] { return item == 2; });
  }
  {
    std::unique_lock lock(shared_mutex);
    broadcast_item = 1;
  }
  changed_any.notify_all();
}
