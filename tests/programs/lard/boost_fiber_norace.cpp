// REQUIRES: bigfoot, boost-fiber
// RUN: %clangxx %s %support -o %t -lboost_fiber -lboost_context
// RUN: %run_clean %t

// Fibers that hand over by mutex, condition variable and join, and whose stacks are used again,
// have no race; nor have two OS threads that run fibers of their own.
#include <bigfoot/boost_fiber.h>

#include "script.h"
#include "spawn.h"

struct Work {
  bigfoot::fibers::mutex mutex;
  boost::fibers::condition_variable_any changed;
  int turn = 0;
  int sum = 0;
};

void ping_pong(Work& w, int me) {
  int own = 0;
  for (int i = 0; i < 5; ++i) {
    std::unique_lock<bigfoot::fibers::mutex> lock(w.mutex);
    w.changed.wait(lock, [&] { return w.turn == me; });
    w.sum += ++own;
    w.turn = 1 - me;
    w.changed.notify_all();
  }
}

void run() {
  using boost::fibers::algo::round_robin;
  boost::fibers::use_scheduling_algorithm<bigfoot::fibers::checked<round_robin>>();
  for (int round = 0; round < 4; ++round) {
    Work w;
    int result = 0;
    bigfoot::fibers::fiber a([&] { ping_pong(w, 0); });
    bigfoot::fibers::fiber b([&] { ping_pong(w, 1); });
    bigfoot::fibers::fiber c([&] { result = 7; });
    a.join();
    b.join();
    c.join();
    require(w.sum == 30 && result == 7);
  }
}

int main() {
  run_threads([] { run(); }, [] { run(); });
}
