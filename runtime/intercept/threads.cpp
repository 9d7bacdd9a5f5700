// Creation, start, end and join of threads: pthreads and C11.
//
// A new thread is known to the core before any code of the program runs on it, and its last event
// comes after the destructors of its thread-local objects: those of C++ run first of all, those of
// pthread keys in up to PTHREAD_DESTRUCTOR_ITERATIONS rounds, and ours is a key that arms itself
// anew until the last round.
#include "runtime/intercept/threads.h"

#include <bits/local_lim.h>
#include <linux/prctl.h>
#include <pthread.h>
#include <signal.h>
#include <threads.h>
#include <time.h>

#include "runtime/base/pool.h"
#include "runtime/heap/heap.h"
#include "runtime/intercept/hold_signals.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/interceptor.h"
#include "runtime/intercept/thread_handles.h"
#include "runtime/intercept/wrapper.h"

namespace bigfoot::rt::intercept {

void measure_static_tls();

namespace {

// Never destroyed: threads outlive main.
union NeverDestroyed {
  constexpr NeverDestroyed() : handles() {}
  constexpr ~NeverDestroyed() {}
  ThreadHandles handles;
};
constinit NeverDestroyed all;
ThreadHandles& handles() {
  return all.handles;
}

pthread_key_t end_key;
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadId own_id = kNoThread;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool own_detached = false;

void finish_thread() {
  if (inside_runtime()) return;
  // No handler of the program may run on a thread that the core has forgotten. The C library blocks
  // all signals a few steps later anyway.
  sigset_t all_signals;
  sigfillset(&all_signals);
  pthread_sigmask(SIG_SETMASK, &all_signals, nullptr);
  thread_finishing(current_thread());
  stop_watching_this_thread();
  if (own_detached) handles().forget(pthread_self(), own_id);
  heap::thread_ending();
}

void end_key_destructor(void* rounds_left) {
  uptr n = address_of(rounds_left);
  if (n > 1)
    pthread_setspecific(end_key, reinterpret_cast<void*>(n - 1));
  else
    finish_thread();
}

void arm_end_key() {
  watching.known = true;
  pthread_setspecific(end_key, reinterpret_cast<void*>(uptr{PTHREAD_DESTRUCTOR_ITERATIONS}));
}

// What a new thread gets instead of the program's start function and argument.
template <class Result>
struct Start {
  Result (*function)(void*);
  void* argument;
  Ticket* ticket;
  bool detached;
  bool registered;  // by whom of creator and child comes first; guarded by the handles' lock
  u32 references;   // creator and child
  // What the child may be interrupted by, once the core knows it. Until then a handler of the
  // program would run on a thread that nobody has announced.
  sigset_t blocked;

  // The handle must be known when the child's code runs (it may ask for its own join) and when
  // pthread_create returns. The later of the two may come when the handle is another thread's.
  void register_handle(pthread_t handle, ThreadId id) {
    handles().set_once(handle, id, registered);
  }
  void release() {
    HoldSignals hold;
    if (fetch_add(&references, ~u32{0}) == 1) pool_free(this, sizeof(Start));
  }
  static Start* make(Result (*function)(void*), void* argument, Ticket* ticket, bool detached) {
    HoldSignals hold;
    auto* s = static_cast<Start*>(pool_allocate(sizeof(Start)));
    *s = {function, argument, ticket, detached, false, 2, {}};
    return s;
  }
};

template <class Result>
Result start_thread(void* p) {
  auto* start = static_cast<Start<Result>*>(p);
  Result (*function)(void*) = start->function;
  void* argument = start->argument;
  sigset_t blocked;
  {
    // pthread_getattr_np allocates, and the core does not know this thread yet.
    Unwatched unwatched;
    ThreadMemory memory = memory_of_this_thread();
    own_id = thread_of(start->ticket);
    own_detached = start->detached;
    start->register_handle(pthread_self(), own_id);
    thread_started(start->ticket, memory.stack, memory.tls);
    blocked = start->blocked;
    start->release();
    arm_end_key();
  }
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  return function(argument);
}

bool is_detached(const pthread_attr_t* attr) {
  int state = PTHREAD_CREATE_JOINABLE;
  return attr != nullptr && pthread_attr_getdetachstate(attr, &state) == 0 &&
         state == PTHREAD_CREATE_DETACHED;
}

// The mask that a thread of these attributes begins with. (With one of its own it begins with that,
// whatever the creator blocks: then a signal may still come too early.)
sigset_t signal_mask_of(const pthread_attr_t* attr, const sigset_t& inherited) {
  sigset_t own;
  return attr != nullptr && pthread_attr_getsigmask_np(attr, &own) == 0 ? own : inherited;
}

// `create` is the real function, called with the start routine and argument to use.
template <class Result, class Create>
int create_thread(const Call& call, Result (*function)(void*), void* argument,
                  const pthread_attr_t* attr, const pthread_t* handle, Create create) {
  const bool detached = is_detached(attr);
  Ticket* ticket = thread_creating(call.thread(), call.pc(), detached);
  ThreadId id = thread_of(ticket);
  auto* start = Start<Result>::make(function, argument, ticket, detached);
  int result;
  {
    Unwatched unwatched;  // the stack's memory, and whatever else the C library does in there
    sigset_t all_signals, before;
    sigfillset(&all_signals);
    pthread_sigmask(SIG_SETMASK, &all_signals, &before);  // the child inherits it
    start->blocked = signal_mask_of(attr, before);
    result = create(start_thread<Result>, start);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  if (result != 0) {
    thread_creation_failed(ticket);
    start->release();  // ours and the child's that never was
    start->release();
    return result;
  }
  start->register_handle(*handle, id);
  start->release();
  return 0;
}

// `join` is the real function, whichever of its forms. The handle is looked up before, because
// afterwards it may be another thread's.
template <class Join>
int join_thread(const Call& call, pthread_t handle, Join join) {
  ThreadId id = call ? handles().find(handle) : kNoThread;
  int result = join();
  if (result == 0 && id != kNoThread) {
    handles().forget(handle, id);
    thread_joined(call.thread(), id, call.pc());
  }
  return result;
}

template <class Detach>
int detach_thread(const Call& call, pthread_t handle, Detach detach) {
  ThreadId id = call ? handles().find(handle) : kNoThread;
  if (id != kNoThread) {
    if (pthread_equal(handle, pthread_self()))
      own_detached = true;
    else
      handles().forget(handle, id);
    thread_detached(call.thread(), id, call.pc());
  }
  return detach();
}

}  // namespace

void watch_threads() {
  measure_static_tls();
  pthread_key_create(&end_key, end_key_destructor);
  own_id = kMainThread;
  handles().set(pthread_self(), kMainThread);
  arm_end_key();
}

void adopt_this_thread() {
  Unwatched unwatched;
  arm_end_key();
}

ThreadId thread_of_handle(pthread_t handle) {
  return handles().find(handle);
}
void lock_thread_handles() {
  handles().lock().lock();
}
void unlock_thread_handles() {
  handles().lock().unlock();
}

}  // namespace bigfoot::rt::intercept

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

BF_REAL(int, pthread_create, (pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))
BF_REAL(int, thrd_create, (thrd_t*, thrd_start_t, void*))
BF_REAL(int, pthread_join, (pthread_t, void**))
BF_REAL(int, thrd_join, (thrd_t, int*))

namespace {
int create(const Call& call, pthread_t* handle, const pthread_attr_t* attr,
           void* (*function)(void*), void* argument) {
  if (!call) return real_pthread_create(handle, attr, function, argument);
  return create_thread<void*>(call, function, argument, attr, handle,
                              [&](void* (*start)(void*), void* with) {
                                return real_pthread_create(handle, attr, start, with);
                              });
}
int create(const Call& call, thrd_t* handle, thrd_start_t function, void* argument) {
  if (!call) return real_thrd_create(handle, function, argument);
  return create_thread<int>(
      call, function, argument, nullptr, handle,
      [&](thrd_start_t start, void* with) { return real_thrd_create(handle, start, with); });
}
template <class Value>
int joined(const Call& call, int error, const Value* value) {
  if (error == 0 && value != nullptr) writes(call, value, sizeof *value);
  return error;
}
}  // namespace

BF_DEFINE(int, pthread_create,
          (pthread_t * handle, const pthread_attr_t* attr, void* (*function)(void*),
           void* argument)) {
  return create(Call(BF_PC()), handle, attr, function, argument);
}
BF_DEFINE(int, thrd_create, (thrd_t * handle, thrd_start_t function, void* argument)) {
  return create(Call(BF_PC()), handle, function, argument);
}
BF_DEFINE(int, pthread_join, (pthread_t handle, void** result)) {
  return join_thread(Call(BF_PC()), handle, [&] { return real_pthread_join(handle, result); });
}
BF_DEFINE(int, thrd_join, (thrd_t handle, int* result)) {
  return join_thread(Call(BF_PC()), handle, [&] { return real_thrd_join(handle, result); });
}

// The same, called by the program itself: where the results go is its memory. The C library stores
// a new thread's handle before the thread starts.
BF_EXPORT int __bf_pthread_create(pthread_t* handle, const pthread_attr_t* attr,
                                  void* (*function)(void*), void* argument) {
  const Call call(BF_PC());
  writes(call, handle, sizeof *handle);
  return create(call, handle, attr, function, argument);
}
BF_EXPORT int __bf_thrd_create(thrd_t* handle, thrd_start_t function, void* argument) {
  const Call call(BF_PC());
  writes(call, handle, sizeof *handle);
  return create(call, handle, function, argument);
}
BF_EXPORT int __bf_pthread_join(pthread_t handle, void** result) {
  const Call call(BF_PC());
  return joined(call, join_thread(call, handle, [&] { return real_pthread_join(handle, result); }),
                result);
}
BF_EXPORT int __bf_thrd_join(thrd_t handle, int* result) {
  const Call call(BF_PC());
  return joined(call, join_thread(call, handle, [&] { return real_thrd_join(handle, result); }),
                result);
}

BF_INTERCEPTOR(int, pthread_tryjoin_np, pthread_t handle, void** result) {
  return join_thread(Call(BF_PC()), handle,
                     [&] { return real_pthread_tryjoin_np(handle, result); });
}
BF_INTERCEPTOR(int, pthread_timedjoin_np, pthread_t handle, void** result, const timespec* until) {
  return join_thread(Call(BF_PC()), handle,
                     [&] { return real_pthread_timedjoin_np(handle, result, until); });
}
BF_INTERCEPTOR(int, pthread_clockjoin_np, pthread_t handle, void** result, clockid_t clock,
               const timespec* until) {
  return join_thread(Call(BF_PC()), handle,
                     [&] { return real_pthread_clockjoin_np(handle, result, clock, until); });
}

BF_INTERCEPTOR(int, pthread_detach, pthread_t handle) {
  return detach_thread(Call(BF_PC()), handle, [&] { return real_pthread_detach(handle); });
}
BF_INTERCEPTOR(int, thrd_detach, thrd_t handle) {
  return detach_thread(Call(BF_PC()), handle, [&] { return real_thrd_detach(handle); });
}

BF_INTERCEPTOR(int, pthread_setname_np, pthread_t handle, const char* name) {
  const Call call(BF_PC());
  int result = real_pthread_setname_np(handle, name);
  ThreadId id = call && result == 0 ? thread_of_handle(handle) : kNoThread;
  if (id != kNoThread) thread_named(call.thread(), id, name);
  return result;
}

BF_INTERCEPTOR(int, prctl, int option, unsigned long a, unsigned long b, unsigned long c,
               unsigned long d) {
  const Call call(BF_PC());
  int result = real_prctl(option, a, b, c, d);
  if (call && result == 0 && option == PR_SET_NAME)
    thread_named(call.thread(), id_of(call.thread()), reinterpret_cast<const char*>(a));
  return result;
}
