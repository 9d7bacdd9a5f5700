// RUN: %clang %s %support -o %t
// RUN: %run_clean --timeout 300 %t

// 100,000 threads, ten alive at a time: slots are reused, memory stays within bounds. The peak is
// compared with what it was after the first tenth.
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

#include "script.h"

enum { kBatches = 10000, kBatch = 10, kAllowedGrowthKb = 32 << 10 };
static int results[kBatch];
static long total;

static void* worker(void* cell) {
  char frame[256];
  keep_object(frame);
  ++*(int*)cell;
  return 0;
}

static long peak_kb(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

int main(void) {
  long early = 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    pthread_t threads[kBatch];
    for (int i = 0; i < kBatch; ++i)
      if (pthread_create(&threads[i], 0, worker, &results[i]) != 0) return 2;
    for (int i = 0; i < kBatch; ++i) pthread_join(threads[i], 0);
    if (batch == kBatches / 10) early = peak_kb();
  }
  for (int i = 0; i < kBatch; ++i) total += results[i];
  if (peak_kb() > early + kAllowedGrowthKb) {
    printf("memory grew from %ld to %ld kB\n", early, peak_kb());
    return 3;
  }
  return total == (long)kBatches * kBatch ? 0 : 1;
}
