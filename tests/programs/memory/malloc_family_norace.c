// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Every way to get memory from the C library, each block used in a thread and released in main.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { kBlocks = 8, kSize = 3000 };
static char* blocks[kBlocks];

static void* user(void* unused) {
  void* aligned;
  blocks[0] = malloc(kSize);
  blocks[1] = calloc(kSize / 3, 3);
  blocks[2] = realloc(0, kSize);
  blocks[3] = aligned_alloc(64, 3008);
  blocks[4] = memalign(256, kSize);
  blocks[5] = valloc(kSize);
  blocks[6] = posix_memalign(&aligned, 4096, kSize) == 0 ? aligned : 0;
  blocks[7] = memcpy(malloc(kSize), "text", 5);
  for (int i = 0; i < kBlocks; ++i) {
    if (!blocks[i] || malloc_usable_size(blocks[i]) < kSize) return blocks;
    blocks[i][0] = blocks[i][kSize - 1] = 1;
  }
  return (uintptr_t)blocks[6] % 4096 || (uintptr_t)blocks[4] % 256 ? blocks : unused;
}

int main(void) {
  int failed = 0;
  for (int round = 0; round < 10; ++round) {
    pthread_t thread;
    void* result;
    pthread_create(&thread, 0, user, 0);
    pthread_join(thread, &result);
    failed |= result != 0;
    for (int i = 0; i < kBlocks; ++i) free(blocks[i]);
  }
  return failed;
}
