// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Fibers switched with synchronisation: the switch orders.
#include "script.h"
#include "spawn.h"

extern "C" {
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}

int shared;

int main() {
  void* home = __tsan_get_current_fiber();
  void* fibers[3];
  for (void*& fiber : fibers) fiber = __tsan_create_fiber(0);
  for (int round = 0; round < 9; ++round) {
    __tsan_switch_to_fiber(fibers[round % 3], 0);
    ++shared;
    keep_object(&shared);
    __tsan_switch_to_fiber(home, 0);
    ++shared;
  }
  for (void* fiber : fibers) __tsan_destroy_fiber(fiber);
  require(shared == 18);
}
