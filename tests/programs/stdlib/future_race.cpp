// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The thread goes on writing after it has fulfilled its promise.
#include <future>
#include <thread>

#include "script.h"

int data;

int main() {
  std::promise<void> promise;
  std::jthread worker([&] {
    promise.set_value();
    data = 1;  // RACE: write 4
  });
  promise.get_future().get();
  keep(data);  // RACE: read 4
}
