// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// The bytes just before and just behind a copied range belong to someone else.
#include <pthread.h>
#include <string.h>

#include "script.h"

static _Alignas(64) char block[64];

static void* library(void* unused) {
  memcpy(block + 3, "0123456789", 10);  // 3 to 12
  memset(block + 21, 'x', 7);           // 21 to 27
  strcpy(block + 33, "abc");            // 33 to 36
  memmove(block + 42, block + 44, 5);   // reads 44 to 48, writes 42 to 46
  return unused;
}

int main(void) {
  pthread_t thread;
  static const int kBorders[] = {2, 13, 20, 28, 32, 37, 41, 49};
  pthread_create(&thread, 0, library, 0);
  for (int i = 0; i < 8; ++i) block[kBorders[i]] = '!';
  pthread_join(thread, 0);
  keep_object(block);
  return block[13] == '!' && block[12] == '9' ? 0 : 1;
}
