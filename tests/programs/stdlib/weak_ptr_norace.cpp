// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// weak_ptr::lock in one thread against the last shared_ptr going away in another.
#include <memory>
#include <thread>

#include "script.h"

int main() {
  for (int round = 0; round < 30; ++round) {
    auto owner = std::make_shared<int>(round);
    std::weak_ptr<int> observer = owner;
    std::jthread watching([observer] {
      if (auto seen = observer.lock()) keep(*seen);
    });
    std::jthread dropping([owner = std::move(owner)]() mutable {
      keep(*owner);
      owner.reset();
    });
  }
}
