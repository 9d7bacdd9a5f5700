// RUN: %clang %s %support -o %t
// RUN: %run_racy %t

// The data are written after the event.
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "script.h"

static int fd;
static int data;

static void* writer(void* unused) {
  uint64_t one = 1;
  if (write(fd, &one, sizeof one) != sizeof one) return &fd;
  data = 42;  // RACE: write 4
  return unused;
}

int main(void) {
  pthread_t thread;
  uint64_t count;
  fd = eventfd(0, 0);
  keep_object(&data);
  pthread_create(&thread, 0, writer, 0);
  if (read(fd, &count, sizeof count) != sizeof count) return 2;
  keep(data);  // RACE: read 4
  pthread_join(thread, 0);
  close(fd);
}
