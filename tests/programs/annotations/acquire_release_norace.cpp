// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Home-made synchronisation the tool can not see, explained to it with __tsan_release and
// __tsan_acquire.
#include "script.h"
#include "spawn.h"

extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);

int data;
char channel;

int main() {
  run_threads(
      [] {
        data = 42;
        __tsan_release(&channel);
        script_post(0);
      },
      [] {
        script_wait(0);
        __tsan_acquire(&channel);
        require(data == 42);
      });
}
