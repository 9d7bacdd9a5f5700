// The functions of library.def, and what their accesses are where that takes more than a line.
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <time.h>
#include <wchar.h>

#include "runtime/intercept/wrapper.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

BF_REAL(usize, strlen, (const char*))
BF_REAL(usize, strnlen, (const char*, usize))

namespace {

template <class T>
void wrote(const Call& call, const T* p) {
  if (p != nullptr) writes(call, p, sizeof *p);
}
template <class T>
void reads_object(const Call& call, const T* p) {
  if (p != nullptr) reads(call, p, sizeof *p);
}

usize string_bytes(const char* s) {
  return real_strlen(s) + 1;
}
// At most n characters: the end counts only if it lies among them.
usize string_extent(const char* s, usize n) {
  const usize length = real_strnlen(s, n);
  return length < n ? length + 1 : n;
}
void reads_string(const Call& call, const char* s) {
  if (call && s != nullptr) reads(call, s, string_bytes(s));
}
void wrote_string(const Call& call, const char* s) {
  if (call && s != nullptr) writes(call, s, string_bytes(s));
}

void copies(const Call& call, void* to, const void* from, usize n) {
  reads(call, from, n);
  writes(call, to, n);
}
void appends(const Call& call, char* to, const char* from, usize length, usize looked_at) {
  if (!call) return;
  const usize at = real_strlen(to);
  reads(call, from, looked_at);
  reads(call, to, at + 1);
  writes(call, to + at, length + 1);
}

// Everything is compared, and with more than one element something is moved.
void sorts(const Call& call, void* p, usize n, usize size) {
  reads(call, p, n * size);
  if (n > 1) writes(call, p, n * size);
}

// A number is read up to the first character that does not belong to it, where `end` points. What
// looks like the beginning of more ("0x", "1e+") is looked at further; that is left out.
void parsed(const Call& call, const char* s, char** end, char* stop) {
  reads(call, s, address_of(stop) - address_of(s) + 1);
  if (end == nullptr) return;
  wrote(call, end);
  *end = stop;
}

// An answer of *n bytes, which is never more than there was room for.
void wrote_sized(const Call& call, const void* p, const socklen_t* n) {
  if (n == nullptr) return;
  wrote(call, n);
  if (p != nullptr) writes(call, p, *n);
}

void polled(const Call& call, pollfd* fds, nfds_t n) {
  for (nfds_t i = 0; i < n; ++i) wrote(call, &fds[i].revents);
}

// The kernel looks at as many whole words as hold n bits.
usize set_bytes(int n) {
  constexpr int kBits = 8 * sizeof(long);
  return static_cast<usize>((n + kBits - 1) / kBits) * sizeof(long);
}
void reads_sets(const Call& call, int n, fd_set* a, fd_set* b, fd_set* c) {
  fd_set* const sets[] = {a, b, c};
  for (fd_set* s : sets)
    if (s != nullptr) reads(call, s, set_bytes(n));
}
void wrote_sets(const Call& call, int n, fd_set* a, fd_set* b, fd_set* c) {
  fd_set* const sets[] = {a, b, c};
  for (fd_set* s : sets)
    if (s != nullptr) writes(call, s, set_bytes(n));
}

}  // namespace

#define BF_BODY(result_type, callee, arguments, before, after) \
  const Call call(BF_PC());                                    \
  before;                                                      \
  result_type result = callee arguments;                       \
  after;                                                       \
  return result;

#define BF_LIBRARY(result_type, name, parameters, arguments, before, after) \
  BF_WRAPPER_OF(result_type, name, parameters) {                            \
    BF_BODY(result_type, real_##name, arguments, before, after)             \
  }
#define BF_LIBRARY_VOID(name, parameters, arguments, before) \
  BF_WRAPPER_OF(void, name, parameters) {                    \
    const Call call(BF_PC());                                \
    before;                                                  \
    real_##name arguments;                                   \
  }
#define BF_NUMBER(result_type, name, parameters, arguments) \
  BF_WRAPPER_OF(result_type, name, parameters) {            \
    const Call call(BF_PC());                               \
    char* stop = const_cast<char*>(s);                      \
    result_type result = real_##name arguments;             \
    parsed(call, s, end, stop);                             \
    return result;                                          \
  }
#define BF_SHORT_NUMBER(result_type, name, number, arguments)        \
  BF_EXPORT result_type __bf_##name(const char* s) {                 \
    const Call call(BF_PC());                                        \
    char* stop = const_cast<char*>(s);                               \
    auto result = static_cast<result_type>(real_##number arguments); \
    parsed(call, s, nullptr, stop);                                  \
    return result;                                                   \
  }
#define BF_INTERPOSED(result_type, name, parameters, arguments, before, after) \
  extern "C" result_type interposed_##name parameters __asm__(#name);          \
  BF_EXPORT result_type __bf_##name parameters;                                \
  result_type __bf_##name parameters {                                         \
    BF_BODY(result_type, interposed_##name, arguments, before, after)          \
  }

#include "runtime/intercept/library.def"
