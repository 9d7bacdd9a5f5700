// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// Library functions that copy: the source is read, the destination written, as ranges.
#include <pthread.h>
#include <string.h>

#include "script.h"

struct Block {
  _Alignas(64) char bytes[64];
};
static struct Block copied, moved, set, text, limited, source;

static void* library(void* unused) {
  memcpy(source.bytes, copied.bytes, 40);     // RACE: memcpy read
  memmove(moved.bytes + 1, moved.bytes, 40);  // RACE: memmove write
  memset(set.bytes, 7, 40);                   // RACE: memset write
  strcpy(text.bytes, "twelve chars");         // RACE: strcpy write
  strncpy(limited.bytes, "x", 40);            // RACE: strncpy write
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, library, 0);
  copied.bytes[39] = 1;     // RACE: memcpy write 1
  keep(moved.bytes[40]);    // RACE: memmove read 1
  keep(set.bytes[39]);      // RACE: memset read 1
  keep(text.bytes[12]);     // RACE: strcpy read 1
  keep(limited.bytes[39]);  // RACE: strncpy read 1
  pthread_join(thread, 0);
  keep_object(&source);
}
