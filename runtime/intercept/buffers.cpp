// Wrappers of input and output functions: the buffer is an access of the program. The descriptor's
// order comes with the interposed function that the wrapper calls on to.
//
// What is written out is read before the call that publishes it: told afterwards, it would look
// like a race with a receiver that uses the buffer again.
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include "runtime/intercept/wrapper.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

BF_REAL(usize, strlen, (const char*))

// These are ours; the names say so because the calls below must not be taken for the C library's.
extern "C" {
ssize_t interposed_read(int, void*, usize) __asm__("read");
ssize_t interposed_pread(int, void*, usize, off_t) __asm__("pread");
ssize_t interposed_recv(int, void*, usize, int) __asm__("recv");
ssize_t interposed_write(int, const void*, usize) __asm__("write");
ssize_t interposed_pwrite(int, const void*, usize, off_t) __asm__("pwrite");
ssize_t interposed_send(int, const void*, usize, int) __asm__("send");
}

namespace {
ssize_t received(const Call& call, void* p, ssize_t n) {
  if (n > 0) writes(call, p, static_cast<usize>(n));
  return n;
}
}  // namespace

BF_EXPORT ssize_t __bf_read(int fd, void* p, usize n) {
  const Call call(BF_PC());
  return received(call, p, interposed_read(fd, p, n));
}
BF_EXPORT ssize_t __bf_pread(int fd, void* p, usize n, off_t at) {
  const Call call(BF_PC());
  return received(call, p, interposed_pread(fd, p, n, at));
}
// MSG_TRUNC makes recv return more than it stored.
BF_EXPORT ssize_t __bf_recv(int fd, void* p, usize n, int flags) {
  const Call call(BF_PC());
  ssize_t result = interposed_recv(fd, p, n, flags);
  received(call, p, result > static_cast<ssize_t>(n) ? static_cast<ssize_t>(n) : result);
  return result;
}
BF_EXPORT ssize_t __bf_write(int fd, const void* p, usize n) {
  reads(Call(BF_PC()), p, n);
  return interposed_write(fd, p, n);
}
BF_EXPORT ssize_t __bf_pwrite(int fd, const void* p, usize n, off_t at) {
  reads(Call(BF_PC()), p, n);
  return interposed_pwrite(fd, p, n, at);
}
BF_EXPORT ssize_t __bf_send(int fd, const void* p, usize n, int flags) {
  reads(Call(BF_PC()), p, n);
  return interposed_send(fd, p, n, flags);
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
