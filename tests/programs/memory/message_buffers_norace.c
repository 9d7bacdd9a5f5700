// RUN: %clang -D_GNU_SOURCE %s %support -o %t
// RUN: %run_clean %t

// The rest of the parts, which no message fills, is nobody else's.
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "script.h"

static int ends[2];
static _Alignas(64) char out[2][16];
static _Alignas(64) char in[2][16];

static void* messages(void* unused) {
  struct iovec sent[2] = {{out[0], 4}, {out[1], 8}}, got[2] = {{in[0], 6}, {in[1], 16}};
  struct msghdr m;
  memset(&m, 0, sizeof m);
  m.msg_iov = sent, m.msg_iovlen = 2;
  if (sendmsg(ends[1], &m, 0) != 12) return out;
  m.msg_iov = got;
  if (recvmsg(ends[0], &m, 0) != 12) return out;
  return unused;
}

int main(void) {
  pthread_t thread;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 2;
  pthread_create(&thread, 0, messages, 0);
  out[1][8] = 1;
  keep(in[1][6]);
  pthread_join(thread, 0);
}
