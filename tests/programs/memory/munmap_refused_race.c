// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// The kernel refuses to unmap from the middle of a page, nothing of nothing and more than there is:
// the history of the memory goes on.
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "script.h"

enum { kBytes = 4096 };
static int* page;

static void* writer(void* unused) {
  page[100] = 1;  // RACE: write 4
  script_post(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  page = mmap(0, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_create(&thread, 0, writer, 0);
  script_wait(0);
  if (munmap((char*)page + 16, kBytes) == 0 || munmap(page, 0) == 0 ||
      munmap(page, -1ul << 12) == 0)
    return 1;
  keep(page[100]);  // RACE: read 4
  pthread_join(thread, 0);
}
