// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// The same, with the join before the destructor.
#include <thread>

#include "script.h"

struct Task {
  virtual void run() {}
  virtual ~Task() { keep_object(this); }
};

struct Derived : Task {
  int steps = 0;
  void run() override { ++steps; }
  ~Derived() override { keep_object(this); }
};

int main() {
  for (int round = 0; round < 10; ++round) {
    Derived task;
    Task* base = &task;
    std::thread([base] { base->run(); }).join();
    if (task.steps != 1) return 1;
  }
}
