// RUN: %clang %s %support -o %t
// RUN: %run_clean %t

// A connection over the loopback device: connect is ordered before accept, send before recv.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in address;
static int before_connect, before_send;

static void* client(void* unused) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  before_connect = 1;
  if (connect(fd, (struct sockaddr*)&address, sizeof address) != 0) return &address;
  before_send = 2;
  if (send(fd, "x", 1, 0) != 1) return &address;
  close(fd);
  return unused;
}

int main(void) {
  pthread_t thread;
  socklen_t length = sizeof address;
  void* failed;
  char byte;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0) return 2;
  if (listen(listener, 1) != 0) return 3;
  if (getsockname(listener, (struct sockaddr*)&address, &length) != 0) return 4;
  pthread_create(&thread, 0, client, 0);
  int fd = accept(listener, 0, 0);
  int seen = before_connect;
  if (recv(fd, &byte, 1, 0) != 1) return 5;
  seen += before_send;
  pthread_join(thread, &failed);
  close(fd);
  close(listener);
  return seen == 3 && !failed ? 0 : 1;
}
