// The beginnings of locks, and the few lock functions that simple.def has no word for.
#include <pthread.h>
#include <threads.h>

#include "runtime/intercept/interceptor.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

namespace {

bool is_recursive(const pthread_mutexattr_t* attr) {
  int kind = PTHREAD_MUTEX_DEFAULT;
  return attr != nullptr && pthread_mutexattr_gettype(attr, &kind) == 0 &&
         kind == PTHREAD_MUTEX_RECURSIVE;
}

int lock_created(const Call& call, const volatile void* lock, bool recursive, int result) {
  if (call && result == 0) mutex_created(call.thread(), address_of(lock), recursive, call.pc());
  return result;
}

}  // namespace

BF_INTERCEPTOR(int, pthread_mutex_init, pthread_mutex_t* m, const pthread_mutexattr_t* attr) {
  const Call call(BF_PC());
  return lock_created(call, m, is_recursive(attr), real_pthread_mutex_init(m, attr));
}
BF_INTERCEPTOR(int, pthread_rwlock_init, pthread_rwlock_t* l, const pthread_rwlockattr_t* attr) {
  const Call call(BF_PC());
  return lock_created(call, const_cast<pthread_rwlock_t*>(l), false,
                      real_pthread_rwlock_init(l, attr));
}
BF_INTERCEPTOR(int, pthread_spin_init, pthread_spinlock_t* l, int shared) {
  const Call call(BF_PC());
  return lock_created(call, l, false, real_pthread_spin_init(l, shared));
}
BF_INTERCEPTOR(int, mtx_init, mtx_t* m, int kind) {
  const Call call(BF_PC());
  return lock_created(call, m, (kind & mtx_recursive) != 0, real_mtx_init(m, kind));
}
BF_INTERCEPTOR(void, mtx_destroy, mtx_t* m) {
  const Call call(BF_PC());
  real_mtx_destroy(m);
  if (call) mutex_destroyed(call.thread(), address_of(m), call.pc());
}

BF_INTERCEPTOR(int, pthread_mutex_consistent, pthread_mutex_t* m) {
  const Call call(BF_PC());
  int result = real_pthread_mutex_consistent(m);
  if (call && result == 0) mutex_repaired(call.thread(), address_of(m), call.pc());
  return result;
}

// The barrier's address is free to be another barrier when the last thread has left, but not
// before.
BF_INTERCEPTOR(int, pthread_barrier_wait, pthread_barrier_t* b) {
  const Call call(BF_PC());
  if (call) barrier_arrive(call.thread(), address_of(b), call.pc());
  int result = real_pthread_barrier_wait(b);
  if (call) barrier_depart(call.thread(), address_of(b), call.pc());
  return result;
}
