// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Double-checked locking as it is done: the pointer is atomic, acquire on the fast path.
#include <atomic>
#include <mutex>

#include "script.h"
#include "spawn.h"

std::mutex mutex;
std::atomic<int*> instance;

int* get() {
  int* seen = instance.load(std::memory_order_acquire);
  if (!seen) {
    std::lock_guard lock(mutex);
    seen = instance.load(std::memory_order_relaxed);
    if (!seen) instance.store(seen = new int(1), std::memory_order_release);
  }
  return seen;
}

int main() {
  auto user = [] { require(*get() == 1); };
  run_threads(user, user, user, user);
  delete instance.load();
}
