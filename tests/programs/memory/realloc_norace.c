// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Buffers that grow and shrink by realloc and reallocarray, handed from thread to thread.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char* buffer;
static size_t size;

static void* grow(void* unused) {
  for (int i = 0; i < 3; ++i) {
    char* larger = reallocarray(buffer, size * 2, 1);
    memset(larger + size, 'x', size);
    buffer = larger;
    size *= 2;
  }
  buffer = realloc(buffer, size /= 2);
  buffer[size - 1] = 'y';
  return unused;
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    buffer = calloc(size = 10, 1);
    for (int i = 0; i < 4; ++i) {
      pthread_t thread;
      pthread_create(&thread, 0, grow, 0);
      pthread_join(thread, 0);
    }
    if (buffer[size - 1] != 'y') return 1;
    free(buffer);
  }
}
