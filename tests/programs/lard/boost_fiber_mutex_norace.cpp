// REQUIRES: bigfoot, boost-fiber
// RUN: %clangxx %s %support -o %t -lboost_fiber -lboost_context
// RUN: %run_unmarked %t
// RUN: %clangxx -DWITHOUT %s %support -o %t.without -lboost_fiber -lboost_context
// RUN: %run_racy %t.without

// Fibers of two OS threads take turns by a mutex for fibers, which Boost makes of things nobody has
// compiled checks into. Without its acquire and release they seem to race.
#include <bigfoot/boost_fiber.h>

#include "script.h"
#include "spawn.h"

#ifdef WITHOUT
using Mutex = boost::fibers::mutex;
#else
using Mutex = bigfoot::fibers::mutex;
#endif

Mutex mutex;
int shared;

template <class Work>
void run_in_fiber(Work work) {
  using boost::fibers::algo::round_robin;
  boost::fibers::use_scheduling_algorithm<bigfoot::fibers::checked<round_robin>>();
  bigfoot::fibers::fiber(work).join();
}

int main() {
  run_threads(
      [] {
        run_in_fiber([] {
          mutex.lock();
          shared = 1;  // RACE: write 4
          mutex.unlock();
          script_post(0);
        });
      },
      [] {
        run_in_fiber([] {
          script_wait(0);
          mutex.lock();
          shared = 2;  // RACE: write 4
          mutex.unlock();
        });
      });
  require(shared == 2);
}
