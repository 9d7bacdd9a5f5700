// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Neighbours of a packed field that straddles an 8-byte word: the bytes just before and just after
// it.
#include <pthread.h>
#include <stdint.h>

#include "script.h"

struct __attribute__((packed)) Record {
  char tag[5];
  uint64_t value;  // bytes 5 to 12
  char end[3];
};

static struct Record record __attribute__((aligned(16)));

static void* writer(void* unused) {
  record.value = 0x0102030405060708;
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&record);
  pthread_create(&thread, 0, writer, 0);
  record.tag[4] = 'a';
  record.end[0] = 'z';
  pthread_join(thread, 0);
  return record.tag[4] == 'a' && record.end[0] == 'z' ? 0 : 1;
}
