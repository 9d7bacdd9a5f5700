// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// Elimination: step after step less of the array is written, and what is left behind is read.

#include "script.h"
#include "spawn.h"

constexpr int kSize = 512, kSteps = 40;
pthread_barrier_t barrier;

int main() {
  auto* row = new double[kSize]();
  pthread_barrier_init(&barrier, nullptr, 2);
  run_threads(
      [=] {
        for (int k = 0; k < kSteps; ++k) {
          for (int i = k; i < kSize; ++i) row[i] += k;
          pthread_barrier_wait(&barrier);
        }
      },
      [=] {
        for (int k = 0; k < kSteps; ++k) {
          double sum = 0;
          for (int i = 0; i < k; ++i) sum += row[i];
          keep(static_cast<long>(sum));
          pthread_barrier_wait(&barrier);
        }
      });
  delete[] row;
}
