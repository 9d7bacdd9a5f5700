// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// An eventfd as a wake-up: by its own calls and by read and write.
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int fd;
static int data;

static void* writer(void* unused) {
  uint64_t one = 1;
  data = 42;
  if (write(fd, &one, sizeof one) != sizeof one) return &fd;
  return unused;
}

int main(void) {
  pthread_t thread;
  eventfd_t count;
  void* failed;
  fd = eventfd(0, 0);
  pthread_create(&thread, 0, writer, 0);
  if (eventfd_read(fd, &count) != 0) return 2;
  int seen = data;
  pthread_join(thread, &failed);
  close(fd);
  return seen == 42 && !failed ? 0 : 1;
}
