// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// Constructing a std::atomic is a plain write: publishing its address by a relaxed store races with
// it.
#include <atomic>
#include <new>

#include "script.h"
#include "spawn.h"

alignas(std::atomic<int>) unsigned char storage[sizeof(std::atomic<int>)];
std::atomic<std::atomic<int>*> published;

__attribute__((noinline)) std::atomic<int>* construct(void* place) {
  return new (place) std::atomic<int>(1);  // RACE: write 4
}

int main() {
  run_threads([] { published.store(construct(storage), std::memory_order_relaxed); },
              [] {
                std::atomic<int>* counter;
                while (!(counter = published.load(std::memory_order_relaxed))) sched_yield();
                counter->fetch_add(1);  // RACE: atomic write 4
              });
}
