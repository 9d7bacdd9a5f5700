// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A thread has loaded an atomic twice and loads it once more. A plain write that the first loads do
// not race with races with the last: it is ordered after them, or of bytes that only the last one
// reads, or they were loads of what was there before the memory was freed.
#include <atomic>
#include <cstdlib>

#include "script.h"
#include "spawn.h"

namespace {

alignas(64) int later;
alignas(64) std::atomic<int> told;
alignas(64) int wider[2];
alignas(64) std::atomic<int*> reused;

void load_twice(const int* a) {
  keep(__atomic_load_n(a, __ATOMIC_RELAXED));
  keep(__atomic_load_n(a, __ATOMIC_RELAXED));
}

}  // namespace

int main() {
  run_threads(
      [] {
        load_twice(&later);
        told.store(1, std::memory_order_release);
        keep(__atomic_load_n(&later, __ATOMIC_RELAXED));  // RACE: later atomic read 4

        load_twice(wider);
        const long* both = reinterpret_cast<long*>(wider);
        keep(__atomic_load_n(both, __ATOMIC_RELAXED));  // RACE: wider atomic read 8

        int* p = static_cast<int*>(malloc(48));
        keep_object(p);
        load_twice(p);
        free(p);
        p = static_cast<int*>(malloc(48));  // the same memory, most likely
        keep_object(p);
        keep(__atomic_load_n(p, __ATOMIC_RELAXED));  // RACE: reused atomic read 4
        reused.store(p, std::memory_order_relaxed);
        script_post(0);
      },
      [] {
        script_wait(0);
        require(told.load(std::memory_order_acquire) == 1);
        later = 1;                                    // RACE: later write 4
        wider[1] = 1;                                 // RACE: wider write 4
        *reused.load(std::memory_order_relaxed) = 1;  // RACE: reused write 4
      });
}
