// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// The answer is read before it has been asked for: the thread writes data after its send.
#include <pthread.h>
#include <sys/socket.h>

#include "script.h"

static int ends[2];
static int data;

static void* sender(void* unused) {
  if (send(ends[1], "x", 1, 0) != 1) return ends;
  data = 42;  // RACE: write 4
  return unused;
}

int main(void) {
  pthread_t thread;
  char byte;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 2;
  keep_object(&data);
  pthread_create(&thread, 0, sender, 0);
  if (recv(ends[0], &byte, 1, 0) != 1) return 3;
  keep(data);  // RACE: read 4
  pthread_join(thread, 0);
}
