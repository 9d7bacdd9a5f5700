// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// Global arrays that threads divide among themselves, in several rounds: one alone, one behind a
// field of the same struct, one that is initialised in part, and small ones beside them that share
// its words.
#include "script.h"
#include "spawn.h"

constexpr int kSize = 4096, kThreads = 3;
pthread_barrier_t barrier;

long cells[kSize];
struct {
  char flags[kThreads];
  short sums[kSize];
  char more_flags[kThreads];
} together;
int started[kSize] = {1, 2, 3};

void work(int id) {
  for (int round = 0; round < 5; ++round) {
    const int first = kSize * id / kThreads, last = kSize * (id + 1) / kThreads;
    for (int i = first; i < last; ++i) {
      cells[i] += i;
      together.sums[i] = static_cast<short>(i);
      started[i] = i;
    }
    together.flags[id] = together.more_flags[id] = 1;
    pthread_barrier_wait(&barrier);
    long sum = 0;
    for (int i = 0; i < kSize; ++i) sum += cells[i] + together.sums[i] + started[i];
    for (int i = 0; i < kThreads; ++i) sum += together.flags[i] + together.more_flags[i];
    keep(sum);
    pthread_barrier_wait(&barrier);
  }
}

int main() {
  pthread_barrier_init(&barrier, nullptr, kThreads);
  run_threads([] { work(0); }, [] { work(1); }, [] { work(2); });
  keep_object(cells);
}
