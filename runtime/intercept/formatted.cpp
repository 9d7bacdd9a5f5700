// Wrappers of printf, scanf and their kin: the format and the strings are read, the results
// written.
#include <stdio.h>

#include "runtime/intercept/formats.h"
#include "runtime/intercept/sockets.h"
#include "runtime/intercept/wrapper.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

BF_REAL(usize, strlen, (const char*))

namespace {

void reads_string(const Call& call, const char* s) {
  if (call) reads(call, s, real_strlen(s) + 1);
}
void reads_format(const Call& call, const char* format, va_list arguments) {
  reads_string(call, format);
  tell_printed(call, format, arguments);
}
// `n` characters were to be printed, and room was for so many with the end.
void printed(const Call& call, char* to, int n, usize room) {
  if (n < 0 || room == 0) return;
  const usize whole = static_cast<usize>(n) + 1;
  writes(call, to, whole < room ? whole : room);
}
void printed_new(const Call& call, char** to, int n) {
  if (n < 0) return;
  writes(call, to, sizeof *to);
  writes(call, *to, static_cast<usize>(n) + 1);
}
constexpr usize kUnbounded = ~usize{0};

}  // namespace

// A function and its form with a va_list: `parameters` and `arguments` stand before the format,
// `before` tells where it goes, `after` what came out of it.
#define BF_PRINTF(name, parameters, arguments, before, after) \
  BF_FORMATTED(name, v##name, BF_UNPACK parameters, BF_UNPACK arguments, before, after)
#define BF_PRINTF_CHK(name, parameters, arguments, before, after)                                  \
  BF_FORMATTED(__##name##_chk, __v##name##_chk, BF_UNPACK parameters, BF_UNPACK arguments, before, \
               after)
#define BF_UNPACK(...) __VA_ARGS__
#define BF_FORMATTED(name, v_name, parameters, arguments, before, after)                           \
  BF_FORMATTED_OF(name, v_name, (parameters const char* format, ...),                              \
                  (parameters const char* format, va_list variable), (arguments format, variable), \
                  before, after)
#define BF_FORMATTED_OF(name, v_name, parameters, v_parameters, arguments, before, after) \
  BF_REAL(int, v_name, v_parameters)                                                      \
  BF_EXPORT int __bf_##v_name v_parameters;                                               \
  int __bf_##v_name v_parameters {                                                        \
    const Call call(BF_PC());                                                             \
    reads_format(call, format, variable);                                                 \
    before;                                                                               \
    int n = real_##v_name arguments;                                                      \
    after;                                                                                \
    return n;                                                                             \
  }                                                                                       \
  BF_EXPORT int __bf_##name parameters;                                                   \
  int __bf_##name parameters {                                                            \
    const Call call(BF_PC());                                                             \
    va_list variable;                                                                     \
    va_start(variable, format);                                                           \
    reads_format(call, format, variable);                                                 \
    before;                                                                               \
    int n = real_##v_name arguments;                                                      \
    va_end(variable);                                                                     \
    after;                                                                                \
    return n;                                                                             \
  }

BF_PRINTF(printf, (), (), stream_releases(call, stdout), )
BF_PRINTF(fprintf, (FILE * f, ), (f, ), stream_releases(call, f), )
BF_PRINTF(dprintf, (int fd, ), (fd, ), descriptor_releases(call, fd), )
BF_PRINTF(sprintf, (char* to, ), (to, ), , printed(call, to, n, kUnbounded))
BF_PRINTF(snprintf, (char* to, usize room, ), (to, room, ), , printed(call, to, n, room))
BF_PRINTF(asprintf, (char** to, ), (to, ), , printed_new(call, to, n))

// Fortified: a flag, and how large the object is.
BF_PRINTF_CHK(printf, (int flag, ), (flag, ), stream_releases(call, stdout), )
BF_PRINTF_CHK(fprintf, (FILE * f, int flag, ), (f, flag, ), stream_releases(call, f), )
BF_PRINTF_CHK(dprintf, (int fd, int flag, ), (fd, flag, ), descriptor_releases(call, fd), )
BF_PRINTF_CHK(sprintf, (char* to, int flag, usize object, ), (to, flag, object, ), ,
              printed(call, to, n, kUnbounded))
BF_PRINTF_CHK(snprintf, (char* to, usize room, int flag, usize object, ),
              (to, room, flag, object, ), , printed(call, to, n, room))
BF_PRINTF_CHK(asprintf, (char** to, int flag, ), (to, flag, ), , printed_new(call, to, n))

// scanf has two names: what C89 called so, and what the header makes of it since C99.
#define BF_SCANF(name, parameters, arguments, before, after)                                       \
  BF_SCANNED(name, v##name, BF_UNPACK parameters, BF_UNPACK arguments, before, after)              \
  BF_SCANNED(__isoc99_##name, __isoc99_v##name, BF_UNPACK parameters, BF_UNPACK arguments, before, \
             after)
#define BF_SCANNED(name, v_name, parameters, arguments, before, after)                       \
  BF_SCANNED_OF(name, v_name, (parameters const char* format, ...),                          \
                (parameters const char* format, va_list variable), (arguments format, copy), \
                before, after)
#define BF_SCANNED_OF(name, v_name, parameters, v_parameters, arguments, before, after) \
  BF_REAL(int, v_name, v_parameters)                                                    \
  BF_EXPORT int __bf_##v_name v_parameters;                                             \
  int __bf_##v_name v_parameters {                                                      \
    const Call call(BF_PC());                                                           \
    BF_SCAN(v_name, arguments, before, after)                                           \
    return n;                                                                           \
  }                                                                                     \
  BF_EXPORT int __bf_##name parameters;                                                 \
  int __bf_##name parameters {                                                          \
    const Call call(BF_PC());                                                           \
    va_list variable;                                                                   \
    va_start(variable, format);                                                         \
    BF_SCAN(v_name, arguments, before, after)                                           \
    va_end(variable);                                                                   \
    return n;                                                                           \
  }
#define BF_SCAN(v_name, arguments, before, after) \
  reads_string(call, format);                     \
  before;                                         \
  va_list copy;                                   \
  va_copy(copy, variable);                        \
  int n = real_##v_name arguments;                \
  va_end(copy);                                   \
  after;                                          \
  tell_scanned(call, format, variable, n);

BF_SCANF(scanf, (), (), , stream_acquires(call, stdin))
BF_SCANF(fscanf, (FILE * f, ), (f, ), , stream_acquires(call, f))
BF_SCANF(sscanf, (const char* s, ), (s, ), reads_string(call, s), )
