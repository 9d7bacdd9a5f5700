// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A weak_ptr is an object like any other: reset in one thread, locked in another.
#include <memory>
#include <thread>

#include "script.h"

int main() {
  auto owner = std::make_shared<int>(1);
  std::weak_ptr<int> observer = owner;
  std::jthread reader([&] {
    auto seen = observer.lock();  // RACE: read 8
    keep(*seen);
    script_post(0);
  });
  script_wait(0);
  observer.reset();  // RACE: write 8
}
