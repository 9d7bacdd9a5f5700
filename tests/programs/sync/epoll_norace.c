// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// An event loop: the data behind a descriptor are used when epoll says it is ready and it has been
// read.
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2];
static int data;

static void* writer(void* unused) {
  data = 42;
  if (write(ends[1], "x", 1) != 1) return ends;
  return unused;
}

int main(void) {
  pthread_t thread;
  char byte;
  void* failed;
  struct epoll_event event = {.events = EPOLLIN};
  int loop = epoll_create1(0);
  if (pipe(ends) != 0 || epoll_ctl(loop, EPOLL_CTL_ADD, ends[0], &event) != 0) return 2;
  pthread_create(&thread, 0, writer, 0);
  if (epoll_wait(loop, &event, 1, -1) != 1 || read(ends[0], &byte, 1) != 1) return 3;
  int seen = data;
  pthread_join(thread, &failed);
  close(loop);
  return seen == 42 && !failed ? 0 : 1;
}
