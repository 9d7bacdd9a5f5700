// Raw system calls of Linux on x86-64, for the implementation of sys.h alone.
#pragma once

#include <signal.h>
#include <sys/syscall.h>

#include "runtime/sys/sys.h"

namespace bigfoot::rt::sys {

inline i64 raw6(long number, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f) {
  i64 result;
  register u64 r10 asm("r10") = d;
  register u64 r8 asm("r8") = e;
  register u64 r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <class T>
u64 word(T v) {
  if constexpr (__is_pointer(T))
    return reinterpret_cast<u64>(v);
  else
    return static_cast<u64>(v);
}

template <class... A>
i64 call(long number, A... args) {
  u64 w[6] = {word(args)...};
  return raw6(number, w[0], w[1], w[2], w[3], w[4], w[5]);
}

inline bool failed(i64 r) {
  return r < 0 && r > -4096;
}
inline int raw(Fd fd) {
  return static_cast<int>(fd);
}

inline constexpr int kSignalCount = 64;
inline constexpr u64 kAllSignals = ~u64{0};
constexpr u64 signal_bit(int s) {
  return u64{1} << (s - 1);
}

// Returns the mask before.
inline u64 set_signal_mask(u64 mask) {
  u64 old = 0;
  call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &old, sizeof mask);
  return old;
}

}  // namespace bigfoot::rt::sys
