// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// TSAN: false alarm: mremap is unknown to it, so the target of a move keeps its old history

// A mapping is moved onto a place that another thread, ordered with nobody, has used and given up.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

#include "script.h"

enum { kLength = 1 << 14 };
static char *place, *moved;

static void* old_user(void* unused) {
  for (int i = 0; i < kLength; i += 8) place[i] = 1;
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  place = mmap(0, kLength, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  moved = mmap(0, kLength, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  moved[8] = 2;
  pthread_create(&thread, 0, old_user, 0);
  script_wait(0);
  char* now = mremap(moved, kLength, kLength, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  int seen = now[8];
  for (int i = 0; i < kLength; i += 8) now[i] = 3;
  pthread_join(thread, 0);
  munmap(now, kLength);
  return seen == 2 ? 0 : 1;
}
