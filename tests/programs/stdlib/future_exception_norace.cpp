// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// An exception travels through a future; both ends use it.
#include <future>
#include <stdexcept>
#include <string>

#include "script.h"

int main() {
  for (int round = 0; round < 10; ++round) {
    auto failing = std::async(std::launch::async, [] { throw std::runtime_error("no luck"); });
    try {
      failing.get();
      return 1;
    } catch (const std::runtime_error& error) {
      if (std::string(error.what()) != "no luck") return 2;
    }
  }
}
