// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Blocks freed by one thread and handed out to another, which has no other relation to it: the
// allocator orders the two, the old accesses are history. All sizes, small and mapped.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void* churn(void* unused) {
  static const size_t kSizes[] = {1, 8, 24, 100, 1000, 5000, 40000, 200000};
  for (int round = 0; round < 50; ++round) {
    char* blocks[8];
    for (int i = 0; i < 8; ++i) {
      blocks[i] = malloc(kSizes[i]);
      memset(blocks[i], round, kSizes[i]);
    }
    for (int i = 0; i < 8; ++i) {
      blocks[i][kSizes[i] - 1] += 1;
      free(blocks[i]);
    }
  }
  return unused;
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, churn, 0);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  }
}
