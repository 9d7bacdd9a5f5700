// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// The free functions that read and replace a shared_ptr atomically.
#include <memory>
#include <thread>

#include "script.h"

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

std::shared_ptr<int> current = std::make_shared<int>(0);

int main() {
  std::jthread reader([] {
    for (int i = 0; i < 100; ++i) keep(*std::atomic_load(&current));
  });
  std::jthread writer([] {
    for (int i = 0; i < 100; ++i) std::atomic_store(&current, std::make_shared<int>(i));
  });
}
