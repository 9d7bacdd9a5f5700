// RUN: %clang %s -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=segments %run_clean %t
// RUN: env BIGFOOT_OPTIONS=array_shadow=table %run_clean %t

// A range of no bytes is no access, also where arrays have shadows of their own: neither the end of
// the process (a size of zero to divide by) nor a race with who uses the bytes behind it.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 4096 };
static volatile size_t none;

static void* move_nothing(void* block) {
  char* p = block;
  for (int i = 0; i < 8; ++i) {
    memmove(p + 8 * i, p + 2048, none);
    memset(p + 1024 + i, 1, none);
  }
  return block;
}

static void* fill(void* block) {
  memset(block, 2, kBytes);
  return block;
}

int main(void) {
  char* block = malloc(kBytes);
  pthread_t threads[2];
  pthread_create(&threads[0], 0, move_nothing, block);
  pthread_create(&threads[1], 0, fill, block);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  const int wrong = block[17] != 2;
  free(block);
  return wrong;
}
