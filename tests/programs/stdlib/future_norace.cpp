// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// What happens before set_value happens before get: promise, packaged_task, async and
// shared_future.
#include <future>
#include <thread>

#include "script.h"

int main() {
  int data[4] = {};
  std::promise<void> promise;
  std::packaged_task<int()> task([&] { return data[1] = 1; });
  std::future<void> promised = promise.get_future();
  std::future<int> packaged = task.get_future();
  std::jthread first([&] {
    data[0] = 1;
    promise.set_value();
  });
  std::jthread second(std::move(task));
  auto asynchronous = std::async(std::launch::async, [&] { data[2] = 1; });
  auto shared = std::async(std::launch::async, [&] { return data[3] = 1; }).share();
  std::jthread third([&, shared] { keep(shared.get() + data[3]); });
  promised.get();
  asynchronous.get();
  int sum = data[0] + packaged.get() + data[1] + data[2] + shared.get() + data[3];
  return sum == 6 ? 0 : 1;
}
