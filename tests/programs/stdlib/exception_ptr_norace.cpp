// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// TSAN: false alarm: the count of an exception's owners is kept inside libstdc++

// An exception shared by two threads: both look at it, whoever is last destroys it.
#include <exception>
#include <stdexcept>
#include <thread>

#include "script.h"

void inspect(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::runtime_error& caught) {
    keep(caught.what()[0]);
  }
}

int main() {
  std::exception_ptr error = std::make_exception_ptr(std::runtime_error("shared"));
  std::jthread first([error]() mutable {
    inspect(error);
    error = nullptr;
    script_post(0);
  });
  std::jthread second([error]() mutable {
    script_wait(0);
    inspect(error);
    script_wait(1);
    error = nullptr;
  });
  error = nullptr;
  script_post(1);
}
