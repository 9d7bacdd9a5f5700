// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// The annotations name different objects.
#include "script.h"
#include "spawn.h"

extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);

int data;
char channel[64], other[64];

int main() {
  run_threads(
      [] {
        data = 42;  // RACE: write 4
        __tsan_release(channel);
        script_post(0);
      },
      [] {
        script_wait(0);
        __tsan_acquire(other);
        keep(data);  // RACE: read 4
      });
}
