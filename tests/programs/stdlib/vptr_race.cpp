// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A base class destructor resets the virtual table pointer while another thread makes a virtual
// call.
#include <thread>

#include "script.h"

struct Task {
  virtual void run() {}
  virtual ~Task() {  // RACE: write 8
    keep_object(this);
  }
};

struct Derived : Task {
  int steps = 0;
  void run() override {
    ++steps;
    script_post(0);
  }
  ~Derived() override {
    script_wait(0);
    keep_object(this);
  }
};

int main() {
  std::thread thread;
  {
    Derived task;
    Task* base = &task;
    thread = std::thread([base] { base->run(); });  // RACE: read 8
  }
  thread.join();
}
