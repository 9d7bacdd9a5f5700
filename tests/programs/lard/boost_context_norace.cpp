// REQUIRES: bigfoot, boost-fiber
// RUN: %clangxx %s %support -o %t -lboost_context
// RUN: %run_clean %t

// Contexts that hand values to each other in order; one goes on on another OS thread; one is
// dropped before its end, and its destructors run as part of it; stacks are used again.
#include <bigfoot/boost_context.h>

#include "script.h"
#include "spawn.h"

using bigfoot::context::fiber;

int value;

fiber counting() {
  return fiber([](fiber user) {
    for (int i = 1; i <= 3; ++i) {
      value = i;
      user = std::move(user).resume();
    }
    return user;
  });
}

struct Counted {
  int* count;
  ~Counted() { ++*count; }
};

int main() {
  fiber counter = counting();
  int sum = 0;
  while (counter) {
    counter = std::move(counter).resume();
    sum += value;
  }
  require(sum == 1 + 2 + 3 + 3);

  // The thread that is started goes on with what was begun here.
  fiber begun = counting();
  begun = std::move(begun).resume();
  run_threads([&begun] {
    begun = std::move(begun).resume();
    require(value == 2);
  });
  begun = std::move(begun).resume();
  require(value == 3);

  int dropped = 0;
  {
    fiber f([&dropped](fiber user) {
      Counted guard{&dropped};
      user = std::move(user).resume();
      return user;
    });
    f = std::move(f).resume();
    require(dropped == 0);
  }
  require(dropped == 1);

  for (int i = 0; i < 20; ++i) {
    fiber f = counting();
    f = std::move(f).resume();
  }
}
