// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// A page is mapped, used and unmapped by one thread; the address is mapped afresh by another that
// is not ordered after the first. New memory has no history.
#include <pthread.h>
#include <sys/mman.h>

#include "script.h"

enum { kLength = 1 << 16 };
static char* place;

static void use(char* memory) {
  for (int i = 0; i < kLength; i += 64) memory[i] = 1;
  munmap(memory, kLength);
}

static void* first(void* unused) {
  use(mmap(place, kLength, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
  script_post(0);
  return unused;
}

static void* second(void* unused) {
  script_wait(0);
  use(mmap(place, kLength, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
  return unused;
}

int main(void) {
  pthread_t threads[2];
  place = mmap(0, kLength, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
}
