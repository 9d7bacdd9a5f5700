// REQUIRES: bigfoot, boost-fiber
// RUN: %clangxx %s %support -o %t -lboost_context
// RUN: %run_racy %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without -lboost_context
// RUN: %run_unmarked %t.without

// A scheduler of a few lines runs two contexts on one OS thread; they write without order. Taken
// for that thread they never race.
#ifdef WITHOUT
#include <boost/context/fiber.hpp>
using boost::context::fiber;
fiber run(fiber f) {
  return std::move(f).resume();
}
#else
#include <bigfoot/boost_context.h>
using bigfoot::context::fiber;
fiber run(fiber f) {
  return std::move(f).resume(bigfoot::context::kUnordered);
}
#endif

#include "script.h"
#include "spawn.h"

int shared;

int main() {
  fiber a([](fiber scheduler) {
    shared = 1;  // RACE: write 4
    return run(std::move(scheduler));
  });
  fiber b([](fiber scheduler) {
    shared = 2;  // RACE: write 4
    return run(std::move(scheduler));
  });
  a = run(std::move(a));
  b = run(std::move(b));
  a = run(std::move(a));
  b = run(std::move(b));
  require(!a && !b);
}
