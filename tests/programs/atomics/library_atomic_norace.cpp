// RUN: %clangxx %s %support -latomic -o %t
// RUN: %run_clean %t

// An atomic too wide for the machine is done by calls into libatomic: they synchronise like any
// other.
#include <atomic>

#include "script.h"
#include "spawn.h"

struct Wide {
  long part[4];
};
std::atomic<Wide> wide;
int data;

int main() {
  run_threads(
      [] {
        data = 1;
        wide.store(Wide{{1, 2, 3, 4}}, std::memory_order_release);
      },
      [] {
        while (wide.load(std::memory_order_acquire).part[3] == 0) sched_yield();
        require(data == 1);
      });
}
