// REQUIRES: bigfoot
// RUN: %clangxx --check-first %s %support -o %t
// RUN: %run_clean %t
// RUN: %clangxx --detector=fasttrack --check-first %s %support -o %t.fasttrack
// RUN: %run_clean %t.fasttrack

// Races between atomic and plain accesses are stopped, too, whichever comes second: the memory
// stays as it was, and neither the history nor what the thread knows has changed.
#include <bigfoot/lard.h>
#include <setjmp.h>

#include "script.h"
#include "spawn.h"

namespace {

alignas(64) int stored = 1, added = 1, swapped = 1, kept = 1, published = 1, loaded = 1;
alignas(64) int before_publishing;
alignas(64) int plain = 1;

thread_local jmp_buf recovery;
thread_local int stopped;
__attribute__((no_sanitize("thread"))) int handler(const bf_lard_race*, void*) {
  ++stopped;
  longjmp(recovery, 1);
}

// Makes the access and tells whether it was stopped.
template <class Access>
bool is_stopped(Access access) {
  const int before = stopped;
  if (setjmp(recovery) == 0) access();
  return stopped != before;
}

int swap_if(int* p, int expected) {
  __atomic_compare_exchange_n(p, &expected, 9, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

}  // namespace

int main() {
  require(bf_lard_on_race(handler, nullptr, BF_LARD_STOP) == BF_LARD_OK);
  run_threads(
      [] {
        stored = added = swapped = loaded = 2;
        keep(kept);
        __atomic_store_n(&plain, 2, __ATOMIC_RELAXED);
        before_publishing = 2;
        __atomic_store_n(&published, 2, __ATOMIC_RELEASE);
        published = 3;
        script_post(0);
        script_wait(1);
        // What was stopped is not there to race with.
        require(!is_stopped([] { stored = added = swapped = loaded = 3; }));
        require(!is_stopped([] { __atomic_store_n(&plain, 3, __ATOMIC_RELAXED); }));
        require(!is_stopped([] { before_publishing = 3; }));
      },
      [] {
        script_wait(0);
        require(is_stopped([] { __atomic_store_n(&stored, 9, __ATOMIC_RELAXED); }));
        require(is_stopped([] { __atomic_fetch_add(&added, 9, __ATOMIC_SEQ_CST); }));
        require(is_stopped([] { swap_if(&swapped, 2); }));
        require(is_stopped([] { keep(__atomic_load_n(&loaded, __ATOMIC_ACQUIRE)); }));
        require(is_stopped([] { plain = 9; }));
        // Only reads the value that others have read, as it is not the expected one.
        require(!is_stopped([] { require(swap_if(&kept, 7) == 1); }));
        require(is_stopped([] { swap_if(&kept, 1); }));
        // An acquire that is stopped has acquired nothing.
        require(is_stopped([] { keep(__atomic_load_n(&published, __ATOMIC_ACQUIRE)); }));
        require(is_stopped([] { before_publishing = 9; }));
        script_post(1);
      });
  require(stored == 3 && added == 3 && swapped == 3 && kept == 1 && loaded == 3);
  require(plain == 3 && before_publishing == 3 && published == 3);
}
