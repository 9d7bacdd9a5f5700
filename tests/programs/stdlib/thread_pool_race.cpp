// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A pool whose tasks add to one plain sum.
#include <future>
#include <thread>

#include "script.h"

long sum;

long add(int amount) {
  return sum += amount;  // RACE: read 8, write 8
}

int main() {
  std::packaged_task<long(int)> first(add), second(add);
  std::jthread one(std::ref(first), 1), two(std::ref(second), 2);
  first.get_future().get();
  second.get_future().get();
}
