// RUN: %clang -fno-builtin %s %support -o %t
// RUN: %run_racy %t

// Library functions that only look: each reads what it has to, up to where it stops.
#include <pthread.h>
#include <string.h>

#include "script.h"

struct Block {
  _Alignas(64) char bytes[64];
};
static struct Block length, compared, found, same;

static void* library(void* unused) {
  keep(strlen(length.bytes));                     // RACE: strlen read
  keep(strcmp(compared.bytes, "seven77"));        // RACE: strcmp read
  keep_object(memchr(found.bytes, 'z', 20));      // RACE: memchr read
  keep(memcmp(same.bytes, same.bytes + 32, 20));  // RACE: memcmp read
  return unused;
}

int main(void) {
  pthread_t thread;
  strcpy(length.bytes, "seven77");
  strcpy(compared.bytes, "seven77");
  pthread_create(&thread, 0, library, 0);
  length.bytes[6] = '7';    // RACE: strlen write 1
  compared.bytes[6] = '7';  // RACE: strcmp write 1
  found.bytes[19] = 0;      // RACE: memchr write 1
  same.bytes[32 + 3] = 0;   // RACE: memcmp write 1
  pthread_join(thread, 0);
}
