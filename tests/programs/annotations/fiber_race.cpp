// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Two fibers on one thread, switched without synchronisation, are two threads to the tool.
#include "script.h"
#include "spawn.h"

extern "C" {
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}

constexpr unsigned kNoSynchronisation = 1;
int shared;

int main() {
  void* home = __tsan_get_current_fiber();
  void* fiber = __tsan_create_fiber(0);
  __tsan_switch_to_fiber(fiber, kNoSynchronisation);
  shared = 2;  // RACE: write 4
  __tsan_switch_to_fiber(home, kNoSynchronisation);
  keep_object(&shared);
  keep(shared);  // RACE: read 4
  __tsan_destroy_fiber(fiber);
}
