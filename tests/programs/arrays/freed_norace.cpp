// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// An array is handed from thread to thread and freed by the last; its memory serves again.
#include "script.h"
#include "spawn.h"

constexpr int kSize = 1000;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
long* cells;

void use_and_replace() {
  for (int round = 0; round < 20; ++round) {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < kSize; ++i) cells[i] += i;
    delete[] cells;
    cells = new long[kSize]();
    for (int i = round; i < kSize; i += 3) cells[i] = i;
    pthread_mutex_unlock(&mutex);
  }
}

int main() {
  cells = new long[kSize]();
  run_threads(use_and_replace, use_and_replace);
  delete[] cells;
}
