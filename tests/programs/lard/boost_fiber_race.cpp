// REQUIRES: bigfoot, boost-fiber
// RUN: %clangxx %s %support -o %t -lboost_fiber -lboost_context
// RUN: %run_racy %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without -lboost_fiber -lboost_context
// RUN: %run_unmarked %t.without

// Two fibers write without order, on one OS thread. Taken for that thread they never race.
#ifdef WITHOUT
#include <boost/fiber/all.hpp>
using boost::fibers::fiber;
#else
#include <bigfoot/boost_fiber.h>
using bigfoot::fibers::fiber;
#endif

#include "script.h"
#include "spawn.h"

int shared;

int main() {
#ifndef WITHOUT
  using boost::fibers::algo::round_robin;
  boost::fibers::use_scheduling_algorithm<bigfoot::fibers::checked<round_robin>>();
#endif
  fiber a([] {
    shared = 1;  // RACE: write 4
    boost::this_fiber::yield();
  });
  fiber b([] {
    shared = 2;  // RACE: write 4
    boost::this_fiber::yield();
  });
  a.join();
  b.join();
  require(shared == 2);
}
