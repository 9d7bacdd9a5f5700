// The functions of simple.def.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include "runtime/intercept/interceptor.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

// Handlers for cancellation as C without exceptions has them; exported by the C library.
extern "C" void _pthread_cleanup_push(_pthread_cleanup_buffer*, void (*)(void*), void*);
extern "C" void _pthread_cleanup_pop(_pthread_cleanup_buffer*, int execute);

namespace {

void lock_taken(const Call& call, uptr lock, LockMode mode, int result) {
  if (!call || (result != 0 && result != EOWNERDEAD)) return;
  if (result == EOWNERDEAD) mutex_repaired(call.thread(), lock, call.pc());
  mutex_locked(call.thread(), lock, mode, call.pc());
}

// A wait gives the lock up and has it again afterwards, however it ends: success, time-out, or the
// cancellation of the thread, which leaves by unwinding and still runs the program's clean-up code
// with the lock held.
class LockGivenUp {
 public:
  LockGivenUp(const Call& call, uptr lock) : call_(call), lock_(lock) {
    if (!call_) return;
    depth_ = mutex_release_all(call_.thread(), lock_, call_.pc());
    _pthread_cleanup_push(&cancelled_, take_back, this);
  }
  ~LockGivenUp() {
    if (call_) _pthread_cleanup_pop(&cancelled_, 1);
  }
  LockGivenUp(const LockGivenUp&) = delete;
  LockGivenUp& operator=(const LockGivenUp&) = delete;

 private:
  static void take_back(void* self) {
    auto& s = *static_cast<LockGivenUp*>(self);
    mutex_reacquire(s.call_.thread(), s.lock_, s.depth_, s.call_.pc());
  }
  const Call& call_;
  uptr lock_;
  u32 depth_ = 0;
  _pthread_cleanup_buffer cancelled_;
};

}  // namespace

#define BF_LOCK(mode, name, parameters, arguments)           \
  BF_INTERCEPT(int, name, parameters) {                      \
    const Call call(BF_PC());                                \
    if (call) synchronising(call.thread());                  \
    int result = real_##name arguments;                      \
    lock_taken(call, address_of(o), LockMode::mode, result); \
    return result;                                           \
  }
#define BF_TRY_LOCK(mode, name, parameters, arguments)       \
  BF_INTERCEPT(int, name, parameters) {                      \
    const Call call(BF_PC());                                \
    if (call) synchronising(call.thread());                  \
    int result = real_##name arguments;                      \
    lock_taken(call, address_of(o), LockMode::mode, result); \
    if (call) tried(call.thread(), address_of(o));           \
    return result;                                           \
  }
#define BF_UNLOCK(name, parameters, arguments)                          \
  BF_INTERCEPT(int, name, parameters) {                                 \
    const Call call(BF_PC());                                           \
    if (call) mutex_unlocking(call.thread(), address_of(o), call.pc()); \
    return real_##name arguments;                                       \
  }
#define BF_LOCK_ENDS(name, parameters, arguments)                                      \
  BF_INTERCEPT(int, name, parameters) {                                                \
    const Call call(BF_PC());                                                          \
    int result = real_##name arguments;                                                \
    if (call && result == 0) mutex_destroyed(call.thread(), address_of(o), call.pc()); \
    return result;                                                                     \
  }
#define BF_WAIT(name, parameters, arguments)   \
  BF_INTERCEPT(int, name, parameters) {        \
    const Call call(BF_PC());                  \
    LockGivenUp given_up(call, address_of(o)); \
    return real_##name arguments;              \
  }
#define BF_ACQUIRE(name, parameters, arguments)                                \
  BF_INTERCEPT(int, name, parameters) {                                        \
    const Call call(BF_PC());                                                  \
    int result = real_##name arguments;                                        \
    if (call && result == 0) acquire(call.thread(), address_of(o), call.pc()); \
    return result;                                                             \
  }
#define BF_RELEASE(name, parameters, arguments)                 \
  BF_INTERCEPT(int, name, parameters) {                         \
    const Call call(BF_PC());                                   \
    if (call) release(call.thread(), address_of(o), call.pc()); \
    return real_##name arguments;                               \
  }
#define BF_OBJECT_ENDS(name, parameters, arguments)                       \
  BF_INTERCEPT(int, name, parameters) {                                   \
    const Call call(BF_PC());                                             \
    int result = real_##name arguments;                                   \
    if (call && result == 0) forget_object(call.thread(), address_of(o)); \
    return result;                                                        \
  }

#include "runtime/intercept/simple.def"
