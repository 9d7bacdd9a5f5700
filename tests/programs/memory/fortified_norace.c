// RUN: %clang -D_GNU_SOURCE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -O1 %s %support -o %t
// RUN: %run_clean %t

// The twin: next to what the fortified functions access, and in order with it.
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
  memcpy(copied.bytes, "0123456789", some(8));
  memset(set.bytes, 1, some(8));
  strcpy(text, shown.bytes);
  strcpy(string.bytes, text);
  strncat(appended.bytes, text, some(3));
  sprintf(built.bytes, "%s", text);
  snprintf(formatted.bytes, some(8), "%s", text);
  if (write(ends[1], text, 4) != 4) return ends;
  if (read(ends[0], filled.bytes, some(4)) != 4) return ends;
  keep_object(text);
  return unused;
}

int main(void) {
  pthread_t thread;
  memcpy(shown.bytes, "seven77", 8);
  if (pipe(ends) != 0) return 2;
  pthread_create(&thread, 0, library, 0);
  keep(copied.bytes[8]);
  keep(set.bytes[8]);
  shown.bytes[8] = '8';
  keep(string.bytes[8]);
  keep(appended.bytes[4]);
  keep(built.bytes[8]);
  keep(formatted.bytes[8]);
  keep(filled.bytes[4]);
  pthread_join(thread, 0);
}
