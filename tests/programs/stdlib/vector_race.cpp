// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// push_back moves the elements of a vector that another thread is reading.
#include <thread>
#include <vector>

#include "script.h"

std::vector<int> numbers(1000, 1);

int main() {
  std::jthread reader([] {
    keep(numbers[500]);  // RACE: read 8, read 4
    script_post(0);
  });
  script_wait(0);
  numbers.push_back(1);  // RACE: write
}
