// RUN: %clang %s %support -o %t
// RUN: %run_racy %t
// TSAN: wrong size: the part of the access in the conflicting word is reported

// An 8-byte access across a page boundary: shadow memory of two pages, one access.
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#include "script.h"

static char* pages;

struct __attribute__((packed)) Unaligned {
  uint64_t value;
};

static void* writer(void* unused) {
  ((struct Unaligned*)(pages + 4096 - 4))->value = 1;  // RACE: write 8
  return unused;
}

int main(void) {
  pthread_t thread;
  pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_create(&thread, 0, writer, 0);
  keep(pages[4096 + 3]);  // RACE: read 1
  pthread_join(thread, 0);
}
