// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// request_stop is ordered before the stop_requested that sees it, and before the callbacks it runs.
#include <atomic>
#include <stop_token>
#include <thread>

#include "script.h"

int main() {
  int data = 0, seen = 0, called = 0;
  {
    std::jthread worker([&](std::stop_token stop) {
      std::stop_callback callback(stop, [&] { called = data; });
      while (!stop.stop_requested()) std::this_thread::yield();
      seen = data;
    });
    data = 42;
    worker.request_stop();
  }
  return seen == 42 && (called == 42 || called == 0) ? 0 : 1;
}
