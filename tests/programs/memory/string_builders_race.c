// RUN: %clang -fno-builtin %s %support -o %t
// RUN: %run_racy %t
// TSAN: misses: the text that strdup reads and strcat extends is not checked

// strcat writes behind the end of a text, strdup reads all of it.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"

struct Block {
  _Alignas(64) char bytes[64];
};
static struct Block appended, duplicated;

static void* library(void* unused) {
  strcat(appended.bytes, "tail");  // RACE: strcat write
  free(strdup(duplicated.bytes));  // RACE: strdup read
  return unused;
}

int main(void) {
  pthread_t thread;
  strcpy(appended.bytes, "head");
  strcpy(duplicated.bytes, "seven77");
  pthread_create(&thread, 0, library, 0);
  keep(appended.bytes[7]);    // RACE: strcat read 1
  duplicated.bytes[6] = '7';  // RACE: strdup write 1
  pthread_join(thread, 0);
}
