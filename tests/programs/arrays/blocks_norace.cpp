// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// Threads that divide a large array on the heap among themselves, and after each round read what
// the others wrote.
#include "script.h"
#include "spawn.h"

constexpr int kSize = 4096, kThreads = 3;
pthread_barrier_t barrier;

void work(long* cells, int id) {
  for (int round = 0; round < 5; ++round) {
    const int first = kSize * id / kThreads, last = kSize * (id + 1) / kThreads;
    for (int i = first; i < last; ++i) cells[i] += i;
    pthread_barrier_wait(&barrier);
    long sum = 0;
    for (int i = 0; i < kSize; ++i) sum += cells[i];
    keep(sum);
    pthread_barrier_wait(&barrier);
  }
}

int main() {
  long* cells = new long[kSize]();
  pthread_barrier_init(&barrier, nullptr, kThreads);
  run_threads([=] { work(cells, 0); }, [=] { work(cells, 1); }, [=] { work(cells, 2); });
  delete[] cells;
}
