// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// Both directions of a socket pair, by every pair of calls.
#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];
static int data;

static void* echo(void* unused) {
  char byte;
  struct iovec vector = {&byte, 1};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
  if (recv(ends[1], &byte, 1, 0) != 1) return ends;
  ++data;
  if (sendmsg(ends[1], &message, 0) != 1) return ends;
  if (recvmsg(ends[1], &message, 0) != 1) return ends;
  ++data;
  if (writev(ends[1], &vector, 1) != 1) return ends;
  return unused;
}

int main(void) {
  pthread_t thread;
  char byte = 'x';
  struct iovec vector = {&byte, 1};
  void* failed;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 2;
  pthread_create(&thread, 0, echo, 0);
  ++data;
  if (send(ends[0], &byte, 1, 0) != 1 || recv(ends[0], &byte, 1, MSG_WAITALL) != 1) return 3;
  ++data;
  if (write(ends[0], &byte, 1) != 1 || readv(ends[0], &vector, 1) != 1) return 4;
  ++data;
  int seen = data;
  pthread_join(thread, &failed);
  return seen == 5 && !failed ? 0 : 1;
}
