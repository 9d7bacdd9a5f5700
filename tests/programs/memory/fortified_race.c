// REQUIRES: bigfoot
// RUN: %clang -D_GNU_SOURCE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -O1 %s %support -o %t
// RUN: %run_racy %t

// The C library's fortified functions, which take the place of the plain ones.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "script.h"

struct Block {
  _Alignas(64) char bytes[64];
};
static struct Block copied, set, string, appended, built, formatted, filled, shown;
static int ends[2];

// As large as it says, but not to the compiler.
static size_t some(size_t n) {
  volatile size_t value = n;
  return value;
}

static void* library(void* unused) {
  char text[64];
  memcpy(copied.bytes, "0123456789", some(8));     // RACE: memcpy write
  memset(set.bytes, 1, some(8));                   // RACE: memset write
  strcpy(text, shown.bytes);                       // RACE: strcpy read
  strcpy(string.bytes, text);                      // RACE: string write
  strncat(appended.bytes, text, some(3));          // RACE: strncat write
  sprintf(built.bytes, "%s", text);                // RACE: sprintf write
  snprintf(formatted.bytes, some(8), "%s", text);  // RACE: snprintf write
  if (write(ends[1], text, 4) != 4) return ends;
  if (read(ends[0], filled.bytes, some(4)) != 4) return ends;  // RACE: read write
  keep_object(text);
  return unused;
}

int main(void) {
  pthread_t thread;
  memcpy(shown.bytes, "seven77", 8);
  if (pipe(ends) != 0) return 2;
  pthread_create(&thread, 0, library, 0);
  keep(copied.bytes[7]);     // RACE: memcpy read 1
  keep(set.bytes[7]);        // RACE: memset read 1
  shown.bytes[6] = '8';      // RACE: strcpy write 1
  keep(string.bytes[7]);     // RACE: string read 1
  keep(appended.bytes[3]);   // RACE: strncat read 1
  keep(built.bytes[7]);      // RACE: sprintf read 1
  keep(formatted.bytes[7]);  // RACE: snprintf read 1
  keep(filled.bytes[3]);     // RACE: read read 1
  pthread_join(thread, 0);
}
