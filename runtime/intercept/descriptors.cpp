// File descriptors: the functions of descriptors.def, and how descriptors come, go and are copied.
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

#include "runtime/intercept/interceptor.h"
#include "runtime/intercept/sockets.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

#define BF_FD_IN(result_type, name, parameters, arguments) \
  BF_INTERCEPT(result_type, name, parameters) {            \
    const Call call(BF_PC());                              \
    result_type result = real_##name arguments;            \
    if (result >= 0) descriptor_acquires(call, fd);        \
    return result;                                         \
  }
#define BF_FD_OUT(result_type, name, parameters, arguments) \
  BF_INTERCEPT(result_type, name, parameters) {             \
    const Call call(BF_PC());                               \
    descriptor_releases(call, fd);                          \
    return real_##name arguments;                           \
  }
#define BF_FD_NEW(name, parameters, arguments)                    \
  BF_INTERCEPT(int, name, parameters) {                           \
    const Call call(BF_PC());                                     \
    int fd = real_##name arguments;                               \
    if (call && fd >= 0) fd_closed(call.thread(), fd, call.pc()); \
    return fd;                                                    \
  }
#include "runtime/intercept/descriptors.def"

// A reader that sees the end of the stream knows what came before the close.
BF_INTERCEPTOR(int, close, int fd) {
  const Call call(BF_PC());
  if (call && fd >= 0) {
    descriptor_releases(call, fd);
    connection_ended(fd);
    fd_closed(call.thread(), fd, call.pc());
  }
  return real_close(fd);
}

// What is still in a stream's buffer goes out, too.
BF_INTERCEPTOR(int, fflush, FILE* f) {
  stream_releases(Call(BF_PC()), f);
  return real_fflush(f);
}
BF_INTERCEPTOR(int, fclose, FILE* f) {
  const Call call(BF_PC());
  const int saved_errno = errno;
  const int fd = call ? fileno_unlocked(f) : -1;
  errno = saved_errno;
  if (call && fd >= 0) {
    descriptor_releases(call, fd);
    connection_ended(fd);
    fd_closed(call.thread(), fd, call.pc());
  }
  return real_fclose(f);
}

// --- from one descriptor to another --------------------------------------------------------------

namespace {
// What comes in has to be known before it goes out, so we wait for it where the call would.
void wait_for_input(int fd, bool at_once) {
  const int saved_errno = errno;
  const bool never_waits = at_once || (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0;
  pollfd p{fd, POLLIN, 0};
  poll(&p, 1, never_waits ? 0 : -1);
  errno = saved_errno;
}
void passes_on(const Call& call, int in, int out) {
  descriptor_acquires(call, in);
  descriptor_releases(call, out);
}
}  // namespace

BF_INTERCEPTOR(ssize_t, splice, int in, off_t* in_at, int out, off_t* out_at, usize n,
               unsigned flags) {
  const Call call(BF_PC());
  if (call) wait_for_input(in, (flags & SPLICE_F_NONBLOCK) != 0);
  passes_on(call, in, out);
  return real_splice(in, in_at, out, out_at, n, flags);
}
BF_INTERCEPTOR(ssize_t, tee, int in, int out, usize n, unsigned flags) {
  const Call call(BF_PC());
  if (call) wait_for_input(in, (flags & SPLICE_F_NONBLOCK) != 0);
  passes_on(call, in, out);
  return real_tee(in, out, n, flags);
}
// The source of these two is a file, which is there already.
BF_INTERCEPTOR(ssize_t, sendfile, int out, int in, off_t* at, usize n) {
  passes_on(Call(BF_PC()), in, out);
  return real_sendfile(out, in, at, n);
}
BF_INTERCEPTOR(ssize_t, copy_file_range, int in, off_t* in_at, int out, off_t* out_at, usize n,
               unsigned flags) {
  passes_on(Call(BF_PC()), in, out);
  return real_copy_file_range(in, in_at, out, out_at, n, flags);
}

namespace {
int paired(const Call& call, const int* fds, int result) {
  if (call && result == 0) fd_paired(call.thread(), fds[0], fds[1], call.pc());
  return result;
}
int duplicated(const Call& call, int from, int to) {
  if (call && to >= 0 && to != from) {
    fd_duplicated(call.thread(), from, to, call.pc());
    connection_copied(from, to);
  }
  return to;
}
}  // namespace

BF_INTERCEPTOR(int, pipe, int* fds) {
  const Call call(BF_PC());
  return paired(call, fds, real_pipe(fds));
}
BF_INTERCEPTOR(int, pipe2, int* fds, int flags) {
  const Call call(BF_PC());
  return paired(call, fds, real_pipe2(fds, flags));
}
BF_INTERCEPTOR(int, socketpair, int domain, int type, int protocol, int* fds) {
  const Call call(BF_PC());
  return paired(call, fds, real_socketpair(domain, type, protocol, fds));
}

BF_INTERCEPTOR(int, dup, int fd) {
  const Call call(BF_PC());
  return duplicated(call, fd, real_dup(fd));
}
BF_INTERCEPTOR(int, dup2, int fd, int to) {
  const Call call(BF_PC());
  return duplicated(call, fd, real_dup2(fd, to));
}
BF_INTERCEPTOR(int, dup3, int fd, int to, int flags) {
  const Call call(BF_PC());
  return duplicated(call, fd, real_dup3(fd, to, flags));
}

namespace {
bool copies_descriptor(int command) {
  return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
}
}  // namespace

// One argument of word size at most, whatever the command.
BF_INTERCEPTOR(int, fcntl, int fd, int command, long argument) {
  const Call call(BF_PC());
  int result = real_fcntl(fd, command, argument);
  return copies_descriptor(command) ? duplicated(call, fd, result) : result;
}
BF_INTERCEPTOR(int, fcntl64, int fd, int command, long argument) {
  const Call call(BF_PC());
  int result = real_fcntl64(fd, command, argument);
  return copies_descriptor(command) ? duplicated(call, fd, result) : result;
}
