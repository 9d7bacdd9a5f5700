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

#include "runtime/intercept/sockets.h"
#include "runtime/intercept/wrapper.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

BF_REAL(usize, strlen, (const char*))

// These are ours; the names say so because the calls below must not be taken for the C library's.
extern "C" {
ssize_t interposed_read(int, void*, usize) __asm__("read");
ssize_t interposed_pread(int, void*, usize, off_t) __asm__("pread");
ssize_t interposed_readv(int, const iovec*, int) __asm__("readv");
ssize_t interposed_preadv(int, const iovec*, int, off_t) __asm__("preadv");
ssize_t interposed_recvmsg(int, msghdr*, int) __asm__("recvmsg");
int interposed_recvmmsg(int, mmsghdr*, unsigned, int, timespec*) __asm__("recvmmsg");
int interposed_accept(int, sockaddr*, socklen_t*) __asm__("accept");
int interposed_accept4(int, sockaddr*, socklen_t*, int) __asm__("accept4");
ssize_t interposed_recv(int, void*, usize, int) __asm__("recv");
ssize_t interposed_recvfrom(int, void*, usize, int, sockaddr*, socklen_t*) __asm__("recvfrom");
ssize_t interposed_write(int, const void*, usize) __asm__("write");
ssize_t interposed_pwrite(int, const void*, usize, off_t) __asm__("pwrite");
ssize_t interposed_writev(int, const iovec*, int) __asm__("writev");
ssize_t interposed_pwritev(int, const iovec*, int, off_t) __asm__("pwritev");
ssize_t interposed_sendmsg(int, const msghdr*, int) __asm__("sendmsg");
int interposed_sendmmsg(int, mmsghdr*, unsigned, int) __asm__("sendmmsg");
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

// Where the peer's name goes, of *length bytes or cut off.
void writes_name(const Call& call, const void* name, const socklen_t* length, socklen_t room) {
  if (name == nullptr || length == nullptr) return;
  writes(call, length, sizeof *length);
  writes(call, name, *length < room ? *length : room);
}
socklen_t room_of(const Call& call, const void* name, const socklen_t* length) {
  if (name == nullptr || length == nullptr) return 0;
  reads(call, length, sizeof *length);
  return *length;
}

// A message goes out whole: its parts, its address, what goes with it.
void sends_message(const Call& call, const msghdr& m) {
  reads(call, &m, sizeof m);
  reads(call, m.msg_name, m.msg_name == nullptr ? 0 : m.msg_namelen);
  reads_parts(call, m.msg_iov, static_cast<int>(m.msg_iovlen));
  reads(call, m.msg_control, m.msg_control == nullptr ? 0 : m.msg_controllen);
}
// And comes in with the lengths of what was received in its header.
void receives_message(const Call& call, const msghdr& m, usize bytes, socklen_t name_room) {
  writes(call, &m, sizeof m);
  writes_parts(call, m.msg_iov, static_cast<int>(m.msg_iovlen), bytes);
  const socklen_t name = m.msg_namelen < name_room ? m.msg_namelen : name_room;
  writes(call, m.msg_name, m.msg_name == nullptr ? 0 : name);
  writes(call, m.msg_control, m.msg_control == nullptr ? 0 : m.msg_controllen);
}

// Lines: the buffer is written; where it is and how large only if that has changed.
struct LineBefore {
  char* line;
  usize size;
  LineBefore(char** line, usize* size) : line(*line), size(*size) {}
};
ssize_t line_read(const Call& call, const LineBefore& before, char** line, usize* size, ssize_t n) {
  const auto tell = [&](const void* p, bool changed) {
    changed ? writes(call, p, sizeof(void*)) : reads(call, p, sizeof(void*));
  };
  tell(line, *line != before.line);
  tell(size, *size != before.size);
  if (n >= 0) writes(call, *line, static_cast<usize>(n) + 1);
  return n;
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
  const socklen_t room = room_of(call, from, length);
  const ssize_t result = received(call, p, n, interposed_recvfrom(fd, p, n, flags, from, length));
  if (result >= 0) writes_name(call, from, length, room);
  return result;
}
BF_EXPORT ssize_t __bf_preadv(int fd, const iovec* parts, int count, off_t at) {
  const Call call(BF_PC());
  ssize_t n = interposed_preadv(fd, parts, count, at);
  if (n >= 0) writes_parts(call, parts, count, static_cast<usize>(n));
  return n;
}
BF_EXPORT ssize_t __bf_recvmsg(int fd, msghdr* m, int flags) {
  const Call call(BF_PC());
  const socklen_t room = m->msg_namelen;
  ssize_t n = interposed_recvmsg(fd, m, flags);
  if (n >= 0) receives_message(call, *m, static_cast<usize>(n), room);
  return n;
}
// The room for names is not kept for each message: the least of them is what all names had.
BF_EXPORT int __bf_recvmmsg(int fd, mmsghdr* m, unsigned count, int flags, timespec* timeout) {
  const Call call(BF_PC());
  socklen_t room = sizeof(sockaddr_storage);
  for (unsigned i = 0; i < count; ++i)
    if (m[i].msg_hdr.msg_namelen < room) room = m[i].msg_hdr.msg_namelen;
  int n = interposed_recvmmsg(fd, m, count, flags, timeout);
  for (int i = 0; i < n; ++i) {
    receives_message(call, m[i].msg_hdr, m[i].msg_len, room);
    writes(call, &m[i].msg_len, sizeof m[i].msg_len);
  }
  return n;
}
// The whole length of a name is told, also where it was cut off.
BF_WRAPPER(int, getsockname, int fd, sockaddr* name, socklen_t* length) {
  const Call call(BF_PC());
  const socklen_t room = room_of(call, name, length);
  int result = real_getsockname(fd, name, length);
  if (result == 0) writes_name(call, name, length, room);
  return result;
}
BF_WRAPPER(int, getpeername, int fd, sockaddr* name, socklen_t* length) {
  const Call call(BF_PC());
  const socklen_t room = room_of(call, name, length);
  int result = real_getpeername(fd, name, length);
  if (result == 0) writes_name(call, name, length, room);
  return result;
}
BF_EXPORT int __bf_accept(int fd, sockaddr* from, socklen_t* length) {
  const Call call(BF_PC());
  const socklen_t room = room_of(call, from, length);
  int result = interposed_accept(fd, from, length);
  if (result >= 0) writes_name(call, from, length, room);
  return result;
}
BF_EXPORT int __bf_accept4(int fd, sockaddr* from, socklen_t* length, int flags) {
  const Call call(BF_PC());
  const socklen_t room = room_of(call, from, length);
  int result = interposed_accept4(fd, from, length, flags);
  if (result >= 0) writes_name(call, from, length, room);
  return result;
}

// Fortified: `room` is the size of the object. The order of descriptors comes with the plain
// function, so that is the one to call; the C library's check goes before it.
extern "C" [[noreturn]] void __chk_fail();
#define BF_FORTIFIED(name, parameters, call_plain)  \
  BF_EXPORT ssize_t __bf___##name##_chk parameters; \
  ssize_t __bf___##name##_chk parameters {          \
    if (n > room) __chk_fail();                     \
    const Call call(BF_PC());                       \
    return received(call, p, n, call_plain);        \
  }
BF_FORTIFIED(read, (int fd, void* p, usize n, usize room), interposed_read(fd, p, n))
BF_FORTIFIED(pread, (int fd, void* p, usize n, off_t at, usize room),
             interposed_pread(fd, p, n, at))
BF_FORTIFIED(pread64, (int fd, void* p, usize n, off_t at, usize room),
             interposed_pread(fd, p, n, at))
BF_FORTIFIED(recv, (int fd, void* p, usize n, usize room, int flags),
             interposed_recv(fd, p, n, flags))

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
BF_EXPORT ssize_t __bf_pwritev(int fd, const iovec* parts, int count, off_t at) {
  reads_parts(Call(BF_PC()), parts, count);
  return interposed_pwritev(fd, parts, count, at);
}
BF_EXPORT ssize_t __bf_sendmsg(int fd, const msghdr* m, int flags) {
  sends_message(Call(BF_PC()), *m);
  return interposed_sendmsg(fd, m, flags);
}
BF_EXPORT int __bf_sendmmsg(int fd, mmsghdr* m, unsigned count, int flags) {
  const Call call(BF_PC());
  for (unsigned i = 0; i < count; ++i) sends_message(call, m[i].msg_hdr);
  int n = interposed_sendmmsg(fd, m, count, flags);
  for (int i = 0; i < n; ++i) writes(call, &m[i].msg_len, sizeof m[i].msg_len);
  return n;
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
  stream_acquires(call, f);
  writes(call, p, result * size);
  return result;
}
BF_WRAPPER(usize, fwrite, const void* p, usize size, usize count, FILE* f) {
  const Call call(BF_PC());
  reads(call, p, size * count);
  stream_releases(call, f);
  return real_fwrite(p, size, count, f);
}
BF_WRAPPER(char*, fgets, char* p, int n, FILE* f) {
  const Call call(BF_PC());
  char* result = real_fgets(p, n, f);
  stream_acquires(call, f);
  if (result != nullptr) writes(call, p, real_strlen(p) + 1);
  return result;
}
BF_WRAPPER(ssize_t, getline, char** line, usize* size, FILE* f) {
  const Call call(BF_PC());
  const LineBefore before(line, size);
  const ssize_t result = real_getline(line, size, f);
  stream_acquires(call, f);
  return line_read(call, before, line, size, result);
}
BF_WRAPPER(ssize_t, getdelim, char** line, usize* size, int end, FILE* f) {
  const Call call(BF_PC());
  const LineBefore before(line, size);
  const ssize_t result = real_getdelim(line, size, end, f);
  stream_acquires(call, f);
  return line_read(call, before, line, size, result);
}
// What the header makes of getline above -O0.
BF_WRAPPER(ssize_t, __getdelim, char** line, usize* size, int end, FILE* f) {
  const Call call(BF_PC());
  const LineBefore before(line, size);
  const ssize_t result = real___getdelim(line, size, end, f);
  stream_acquires(call, f);
  return line_read(call, before, line, size, result);
}
BF_WRAPPER(int, fputs, const char* s, FILE* f) {
  if (const Call call(BF_PC()); call) {
    reads(call, s, real_strlen(s) + 1);
    stream_releases(call, f);
  }
  return real_fputs(s, f);
}
BF_WRAPPER(int, puts, const char* s) {
  if (const Call call(BF_PC()); call) {
    reads(call, s, real_strlen(s) + 1);
    stream_releases(call, stdout);
  }
  return real_puts(s);
}
