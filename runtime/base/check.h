// Invariants of the run time itself. CHECK is always on: a detector that goes on after its own state
// is broken reports nonsense. DCHECK runs in builds with BIGFOOT_SELF_CHECK (the "checking level" of
// the stress tests) and costs nothing otherwise.
#pragma once

namespace bigfoot::rt {

// Prints one line and ends the process with exit code 70 (EX_SOFTWARE). Defined in base/check.cpp.
[[noreturn]] void check_failed(const char* file, int line, const char* condition);
// A condition outside of us that leaves no way on: "bigfoot: <what>: <why>", exit code 71 (EX_OSERR).
[[noreturn]] void die(const char* what, const char* why);

}  // namespace bigfoot::rt

#define BF_CHECK(cond)                                                       \
  do {                                                                       \
    if (__builtin_expect(!(cond), 0))                                        \
      ::bigfoot::rt::check_failed(__FILE__, __LINE__, #cond);                \
  } while (0)

#ifdef BIGFOOT_SELF_CHECK
#define BF_DCHECK(cond) BF_CHECK(cond)
#else
#define BF_DCHECK(cond) \
  do {                  \
  } while (0)
#endif

#define BF_LIKELY(x) __builtin_expect(!!(x), 1)

// A function that keeps all general registers but r11: for the rare way out of code whose usual way
// should not save any.
#define BF_SPARE __attribute__((preserve_most))
#define BF_UNLIKELY(x) __builtin_expect(!!(x), 0)
