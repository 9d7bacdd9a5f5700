// How an interceptor is written.
//
// The program and its libraries bind to our definition of, say, pthread_mutex_lock, because the
// executable's symbols come first; the function that would have been called otherwise is
// `real_<name>`:
//
//   BF_INTERCEPTOR(int, sem_post, sem_t* s) {
//     const Call call(BF_PC());
//     if (call) release(call.thread(), address_of(s), call.pc());
//     return real_sem_post(s);
//   }
//
// Definitions are weak: a program that brings its own malloc or operator new keeps it.
// Most interceptors are a line of simple.def; only what does not fit a line is written by hand.
#pragma once

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "runtime/base/types.h"
#include "runtime/context/events.h"

namespace bigfoot::rt::intercept {

// A function looked up by name behind the executable. All of them are looked up at start-up (the
// dynamic linker takes locks of its own, which must not happen in the middle of a call); what is
// called even earlier, or comes with a library loaded later, on first use.
class RealFunction {
 public:
  constexpr explicit RealFunction(const char* name) : name_(name) {}
  void* address() {
    void* a = load_relaxed(&address_);
    return BF_LIKELY(a != nullptr) ? a : resolve_or_die();
  }
  void resolve();
  bool exists() {
    resolve();
    return load_relaxed(&address_) != nullptr;
  }

 private:
  void* resolve_or_die();
  const char* name_;
  void* address_ = nullptr;
};

template <class Signature>
class Real;
template <class R, class... A>
class Real<R(A...)> : public RealFunction {
 public:
  using RealFunction::RealFunction;
  R operator()(A... a) { return reinterpret_cast<R (*)(A...)>(address())(a...); }
};

// Every Real<> lies in this section, which makes it an array the linker puts together.
void resolve_all_real_functions();

// Where the thread stands with us. Signals wait while it is unwatched for a time.
struct Watching {
  u32 unwatched_depth;  // the core does not know the thread yet, or the C library works for us
  bool known;           // its end will be told
  bool over;            // the thread has had its last event
};
extern constinit thread_local Watching watching __attribute__((tls_model("initial-exec")));
inline void stop_watching_this_thread() {
  watching.over = true;
}

// For a thread that was not made by pthread_create of ours (a timer's, a raw clone): makes sure
// that its end is told.
void adopt_this_thread();

class Unwatched {
 public:
  Unwatched() { ++watching.unwatched_depth; }
  ~Unwatched();
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;
};

// One call of the program into an intercepted function. False if it is none of the program's doing
// (the run time itself, start-up): then only the real function runs.
class Call {
 public:
  explicit Call(Pc pc) : pc_(pc) {
    if (BF_UNLIKELY(watching.unwatched_depth != 0 || watching.over || inside_runtime())) return;
    if (BF_UNLIKELY(!watching.known)) adopt_this_thread();
    thread_ = &current_thread();
  }
  explicit operator bool() const { return thread_ != nullptr; }
  Thread& thread() const { return *thread_; }
  Pc pc() const { return pc_; }

 private:
  Thread* thread_ = nullptr;
  Pc pc_;
};

inline uptr address_of(const volatile void* p) {
  return reinterpret_cast<uptr>(p);
}

}  // namespace bigfoot::rt::intercept

#define BF_EXPORT extern "C" __attribute__((visibility("default")))
#define BF_PC() reinterpret_cast<::bigfoot::rt::Pc>(__builtin_return_address(0))

#define BF_REAL(result, name, parameters)                                   \
  namespace {                                                               \
  [[gnu::section("bf_real"),                                                \
    gnu::used]] constinit ::bigfoot::rt::intercept::Real<result parameters> \
      real_##name{#name};                                                   \
  }

// `parameters` in parentheses. The function has a C++ name of its own and the C library's name only
// for the linker, so that it need not agree with the header about exceptions and variable
// arguments.
#define BF_DEFINE(result, name, parameters)               \
  extern "C" __attribute__((weak, visibility("default"))) \
  result intercepted_##name parameters __asm__(#name);    \
  result intercepted_##name parameters

#define BF_INTERCEPT(result, name, parameters) \
  BF_REAL(result, name, parameters)            \
  BF_DEFINE(result, name, parameters)

#define BF_INTERCEPTOR(result, name, ...) BF_INTERCEPT(result, name, (__VA_ARGS__))
