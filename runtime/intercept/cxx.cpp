// Once: pthread_once (which std::call_once uses), call_once of C11, the guards of static variables;
// and functions registered to run at exit.
#include <pthread.h>
#include <threads.h>

#include "runtime/base/pool.h"
#include "runtime/intercept/call_then.h"
#include "runtime/intercept/hold_signals.h"
#include "runtime/intercept/interceptor.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

// --- once ----------------------------------------------------------------------------------------

namespace {

// The function has to publish what it did before anyone can see that it is through, so it runs
// inside one of ours. The C library passes no argument; the thread that runs it has just called us.
//
// A function that is left by an exception or by the end of its thread publishes, too: the C library
// then lets the next caller run it again, and that run comes after this one.
struct OnceCall {
  void (*function)();
  uptr object;
  Pc pc;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local OnceCall once_call = {};

void publish_once(void* argument) {
  const auto& o = *static_cast<const OnceCall*>(argument);
  if (const Call call(o.pc); call) release(call.thread(), o.object, o.pc);
}

void run_once() {
  OnceCall o = once_call;  // the function may call once itself
  if (const Call call(o.pc); call) acquire(call.thread(), o.object, o.pc);
  bf_call_then(o.function, publish_once, &o);
}

template <class Once, class RealOnce>
int once(const Call& call, Once* o, void (*function)(), RealOnce real) {
  if (!call) return real(o, function);
  once_call = {function, address_of(o), call.pc()};
  int result = real(o, run_once);
  acquire(call.thread(), address_of(o), call.pc());
  return result;
}

}  // namespace

BF_INTERCEPTOR(int, pthread_once, pthread_once_t* o, void (*function)()) {
  return once(Call(BF_PC()), o, function,
              [](pthread_once_t* c, void (*f)()) { return real_pthread_once(c, f); });
}
BF_INTERCEPTOR(void, call_once, once_flag* o, void (*function)()) {
  once(Call(BF_PC()), o, function, [](once_flag* c, void (*f)()) {
    real_call_once(c, f);
    return 0;
  });
}

// --- guards of static variables ------------------------------------------------------------------

// Both answers acquire: 0 means that another thread has initialised the variable, 1 may mean that
// one has tried and given up.
BF_INTERCEPTOR(int, __cxa_guard_acquire, u64* guard) {
  const Call call(BF_PC());
  int result = real___cxa_guard_acquire(guard);
  if (call) acquire(call.thread(), address_of(guard), call.pc());
  return result;
}
BF_INTERCEPTOR(void, __cxa_guard_release, u64* guard) {
  const Call call(BF_PC());
  if (call) release(call.thread(), address_of(guard), call.pc());
  real___cxa_guard_release(guard);
}
BF_INTERCEPTOR(void, __cxa_guard_abort, u64* guard) {
  const Call call(BF_PC());
  if (call) release(call.thread(), address_of(guard), call.pc());
  real___cxa_guard_abort(guard);
}

// --- functions run at exit -----------------------------------------------------------------------

// Who registered is before the run. (atexit and the destructors of globals come through
// __cxa_atexit.)
namespace {

template <class... A>
struct ExitCall {
  void (*function)(A...);
  void* argument;
};

template <class... A>
ExitCall<A...>* exit_call(const Call& call, void (*function)(A...), void* argument) {
  HoldSignals hold;
  auto* e = static_cast<ExitCall<A...>*>(pool_allocate(sizeof(ExitCall<A...>)));
  *e = {function, argument};
  release(call.thread(), address_of(e), call.pc());
  return e;
}

template <class E>
E take_exit_call(void* p) {
  auto* e = static_cast<E*>(p);
  const E copy = *e;
  if (const Call call(0); call) {
    acquire(call.thread(), address_of(e), 0);
    forget_object(call.thread(), address_of(e));
  }
  HoldSignals hold;
  pool_free(e, sizeof(E));
  return copy;
}

void run_at_exit(void* p) {
  auto e = take_exit_call<ExitCall<void*>>(p);
  e.function(e.argument);
}
void run_on_exit(int status, void* p) {
  auto e = take_exit_call<ExitCall<int, void*>>(p);
  e.function(status, e.argument);
}

}  // namespace

BF_INTERCEPTOR(int, __cxa_atexit, void (*function)(void*), void* argument, void* module) {
  const Call call(BF_PC());
  if (!call) return real___cxa_atexit(function, argument, module);
  return real___cxa_atexit(run_at_exit, exit_call(call, function, argument), module);
}
BF_INTERCEPTOR(int, on_exit, void (*function)(int, void*), void* argument) {
  const Call call(BF_PC());
  if (!call) return real_on_exit(function, argument);
  return real_on_exit(run_on_exit, exit_call(call, function, argument));
}
