// Wrappers of input and output functions: the buffer is an access of the program. The descriptor's
// order comes with the interposed function that the wrapper calls on to.
//
// What is written out is read before the call that publishes it: told afterwards, it would look
// like a race with a receiver that uses the buffer again.
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/intercept/wrapper.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

BF_REAL(usize, strlen, (const char*))

// These are ours; the names say so because the calls below must not be taken for the C library's.
extern "C" {
ssize_t interposed_read(int, void*, usize) __asm__("read");
ssize_t interposed_pread(int, void*, usize, off_t) __asm__("pread");
ssize_t interposed_readv(int, const iovec*, int) __asm__("readv");
ssize_t interposed_recv(int, void*, usize, int) __asm__("recv");
ssize_t interposed_recvfrom(int, void*, usize, int, sockaddr*, socklen_t*) __asm__("recvfrom");
ssize_t interposed_write(int, const void*, usize) __asm__("write");
ssize_t interposed_pwrite(int, const void*, usize, off_t) __asm__("pwrite");
ssize_t interposed_writev(int, const iovec*, int) __asm__("writev");
ssize_t interposed_send(int, const void*, usize, int) __asm__("send");
ssize_t interposed_sendto(int, const void*, usize, int, const sockaddr*,
                          socklen_t) __asm__("sendto");
}

namespace {

// MSG_TRUNC makes recv return more than it stored.
ssize_t received(const Call& call, void* p, usize room, ssize_t n) {
  if (n > 0) writes(call, p, static_cast<usize>(n) < room ? static_cast<usize>(n) : room);
  return n;
}

void reads_parts(const Call& call, const iovec* parts, int count) {
  reads(call, parts, static_cast<usize>(count) * sizeof(iovec));
  for (int i = 0; i < count; ++i) reads(call, parts[i].iov_base, parts[i].iov_len);
}
void writes_parts(const Call& call, const iovec* parts, int count, usize bytes) {
  reads(call, parts, static_cast<usize>(count) * sizeof(iovec));
  for (int i = 0; i < count && bytes != 0; ++i) {
    usize n = bytes < parts[i].iov_len ? bytes : parts[i].iov_len;
    writes(call, parts[i].iov_base, n);
    bytes -= n;
  }
}

}  // namespace

BF_EXPORT ssize_t __bf_read(int fd, void* p, usize n) {
  const Call call(BF_PC());
  return received(call, p, n, interposed_read(fd, p, n));
}
BF_EXPORT ssize_t __bf_pread(int fd, void* p, usize n, off_t at) {
  const Call call(BF_PC());
  return received(call, p, n, interposed_pread(fd, p, n, at));
}
BF_EXPORT ssize_t __bf_pread64(int fd, void* p, usize n, off_t at) {
  const Call call(BF_PC());
  return received(call, p, n, interposed_pread(fd, p, n, at));
}
BF_EXPORT ssize_t __bf_readv(int fd, const iovec* parts, int count) {
  const Call call(BF_PC());
  ssize_t n = interposed_readv(fd, parts, count);
  if (n >= 0) writes_parts(call, parts, count, static_cast<usize>(n));
  return n;
}
BF_EXPORT ssize_t __bf_recv(int fd, void* p, usize n, int flags) {
  const Call call(BF_PC());
  return received(call, p, n, interposed_recv(fd, p, n, flags));
}
BF_EXPORT ssize_t __bf_recvfrom(int fd, void* p, usize n, int flags, sockaddr* from,
                                socklen_t* length) {
  const Call call(BF_PC());
  return received(call, p, n, interposed_recvfrom(fd, p, n, flags, from, length));
}

BF_EXPORT ssize_t __bf_write(int fd, const void* p, usize n) {
  reads(Call(BF_PC()), p, n);
  return interposed_write(fd, p, n);
}
BF_EXPORT ssize_t __bf_pwrite(int fd, const void* p, usize n, off_t at) {
  reads(Call(BF_PC()), p, n);
  return interposed_pwrite(fd, p, n, at);
}
BF_EXPORT ssize_t __bf_pwrite64(int fd, const void* p, usize n, off_t at) {
  reads(Call(BF_PC()), p, n);
  return interposed_pwrite(fd, p, n, at);
}
BF_EXPORT ssize_t __bf_writev(int fd, const iovec* parts, int count) {
  reads_parts(Call(BF_PC()), parts, count);
  return interposed_writev(fd, parts, count);
}
BF_EXPORT ssize_t __bf_send(int fd, const void* p, usize n, int flags) {
  reads(Call(BF_PC()), p, n);
  return interposed_send(fd, p, n, flags);
}
BF_EXPORT ssize_t __bf_sendto(int fd, const void* p, usize n, int flags, const sockaddr* to,
                              socklen_t length) {
  reads(Call(BF_PC()), p, n);
  return interposed_sendto(fd, p, n, flags, to, length);
}

BF_WRAPPER(usize, fread, void* p, usize size, usize count, FILE* f) {
  const Call call(BF_PC());
  usize result = real_fread(p, size, count, f);
  writes(call, p, result * size);
  return result;
}
BF_WRAPPER(usize, fwrite, const void* p, usize size, usize count, FILE* f) {
  reads(Call(BF_PC()), p, size * count);
  return real_fwrite(p, size, count, f);
}
BF_WRAPPER(char*, fgets, char* p, int n, FILE* f) {
  const Call call(BF_PC());
  char* result = real_fgets(p, n, f);
  if (result != nullptr) writes(call, p, real_strlen(p) + 1);
  return result;
}
BF_WRAPPER(int, fputs, const char* s, FILE* f) {
  if (const Call call(BF_PC()); call) reads(call, s, real_strlen(s) + 1);
  return real_fputs(s, f);
}
BF_WRAPPER(int, puts, const char* s) {
  if (const Call call(BF_PC()); call) reads(call, s, real_strlen(s) + 1);
  return real_puts(s);
}
