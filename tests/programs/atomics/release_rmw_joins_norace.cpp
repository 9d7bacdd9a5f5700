// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A releasing read-modify-write adds to the release sequence it continues: the reader of the last
// one is ordered after all of them (a reference count, a countdown).
#include <atomic>

#include "script.h"
#include "spawn.h"

int parts[3];
std::atomic<int> missing = 3;

void deliver(int index) {
  parts[index] = index + 1;
  missing.fetch_sub(1, std::memory_order_release);
}

int main() {
  run_threads([] { deliver(0); }, [] { deliver(1); }, [] { deliver(2); },
              [] {
                while (missing.load(std::memory_order_acquire) != 0) sched_yield();
                require(parts[0] + parts[1] + parts[2] == 6);
              });
}
