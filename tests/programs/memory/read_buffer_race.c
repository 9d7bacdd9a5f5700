// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// read() writes its buffer, write() reads it.
#include <pthread.h>
#include <unistd.h>

#include "script.h"

static int ends[2];
static _Alignas(64) char in[16];
static _Alignas(64) char out[16];

static void* io(void* unused) {
  if (write(ends[1], out, 10) != 10) return in;  // RACE: sent read
  if (read(ends[0], in, 10) != 10) return in;    // RACE: received write
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pipe(ends) != 0) return 2;
  pthread_create(&thread, 0, io, 0);
  out[9] = 1;   // RACE: sent write 1
  keep(in[9]);  // RACE: received read 1
  pthread_join(thread, 0);
}
