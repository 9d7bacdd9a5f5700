// REQUIRES: bigfoot
// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Locks and atomics live in pages that move: what was released there before is acquired at the new
// address.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "script.h"

struct Page {
  pthread_mutex_t mutex;
  atomic_int flag;
};
static struct Page *before, *after;
static int under_mutex, under_flag;

static void* first(void* unused) {
  (void)unused;
  pthread_mutex_lock(&before->mutex);
  under_mutex = 1;
  pthread_mutex_unlock(&before->mutex);
  under_flag = 1;
  atomic_store(&before->flag, 1);
  if (mremap(before, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, after) != after) abort();
  script_post(0);
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
  script_wait(0);
  pthread_mutex_lock(&after->mutex);
  under_mutex = 2;
  pthread_mutex_unlock(&after->mutex);
  under_flag = 1 + atomic_load(&after->flag);
  return NULL;
}

static void* page(int protection) {
  void* p = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) abort();
  return p;
}

int main(void) {
  before = page(PROT_READ | PROT_WRITE);
  after = page(PROT_NONE);
  pthread_mutex_init(&before->mutex, NULL);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return under_mutex == 2 && under_flag == 2 ? 0 : 1;
}
