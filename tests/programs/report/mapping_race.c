// RUN: %clang %s %support -o %t
// RUN: %run_racy %t
// RUN: rm -f %t.json
// RUN: env BIGFOOT_OPTIONS=json_path=%t.json %not %t
// RUN: %filecheck --input-file=%t.json %s
// REQUIRES: bigfoot

// Mapped memory belongs to no object that has a name: the report does not call it a global.
#include <pthread.h>
#include <sys/mman.h>

#include "script.h"

static int* page;

static void* writer(void* unused) {
  page[100] = 1;  // RACE: write 4
  return unused;
}

int main(void) {
  pthread_t thread;
  page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_create(&thread, 0, writer, 0);
  keep(page[100]);  // RACE: read 4
  pthread_join(thread, 0);
}

// CHECK: "type":"race"
// CHECK-SAME: "object":{"kind":"unknown"}
