// RUN: %clang %s %support -o %t
// RUN: %run_racy %t
// TSAN: wrong size: the part of the access in the conflicting word is reported

// A field of a packed structure that straddles an 8-byte word: the conflict lies in its second
// word.
#include <pthread.h>
#include <stdint.h>

#include "script.h"

struct __attribute__((packed)) Record {
  char tag[5];
  uint64_t value;  // bytes 5 to 12
};

static struct Record record __attribute__((aligned(16)));

static void* writer(void* unused) {
  record.value = 1;  // RACE: write 8
  return unused;
}

int main(void) {
  pthread_t thread;
  keep_object(&record);
  pthread_create(&thread, 0, writer, 0);
  keep(((char*)&record)[12]);  // RACE: read 1
  pthread_join(thread, 0);
}
