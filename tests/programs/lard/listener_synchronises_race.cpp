// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A listener that synchronises while a range is checked: what was recorded before belongs to the
// epoch before, so the same range, written once more, is not settled.
#include <bigfoot/lard.h>
#include <pthread.h>

#include "script.h"
#include "spawn.h"

namespace {
constexpr int kCount = 100;
alignas(64) struct { int x, y; } fields[kCount];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void publish() {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

__attribute__((no_sanitize("thread"))) int listener(const bf_lard_race*, void* told) {
  if ((*static_cast<int*>(told))++ != 0) return 0;
  publish();
  return BF_LARD_QUIET;
}

__attribute__((noinline)) void fill(int value) {
  for (int i = 0; i < kCount; ++i) fields[i].x = value + i;  // RACE: write 4
  keep_object(fields);
}
}  // namespace

int main() {
  static int told = 0;
  require(bf_lard_on_race(listener, &told, 0) == BF_LARD_OK);
  run_threads(
      [] {
        fields[kCount - 1].x = 1;
        keep_object(fields);
        script_post(0);
        script_wait(1);
        publish();           // knows of the first fill, and not of the second
        keep(fields[50].x);  // RACE: read 4
      },
      [] {
        script_wait(0);
        fill(5);  // the listener publishes when all but the last are recorded
        fill(6);
        script_post(1);
      });
}
