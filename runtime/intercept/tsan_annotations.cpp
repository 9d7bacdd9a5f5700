// The functions of <sanitizer/tsan_interface.h>: programs annotate their own locks, fibers and
// objects with them. The hooks of that header (default options, suppressions, reports) belong to
// report/.
#include "runtime/intercept/interceptor.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

#define BF_ANNOTATION(result, name, ...) BF_DEFINE(result, name, (__VA_ARGS__))

BF_ANNOTATION(void, __tsan_init) {}
BF_ANNOTATION(void, __tsan_flush_memory) {}  // there is no history to shrink

BF_ANNOTATION(void, __tsan_acquire, void* p) {
  if (const Call call(BF_PC()); call) acquire(call.thread(), address_of(p), call.pc());
}
BF_ANNOTATION(void, __tsan_release, void* p) {
  if (const Call call(BF_PC()); call) release(call.thread(), address_of(p), call.pc());
}

BF_ANNOTATION(void, __tsan_ignore_thread_begin) {
  if (const Call call(BF_PC()); call) ignore_accesses_begin(call.thread());
}
BF_ANNOTATION(void, __tsan_ignore_thread_end) {
  if (const Call call(BF_PC()); call) ignore_accesses_end(call.thread());
}

// --- locks of the program's own making -----------------------------------------------------------
//
// Between pre_ and post_ the lock's own code runs, whose accesses and atomics are the lock's
// business: what it orders is said by the annotation alone.
namespace {

constexpr unsigned kWriteReentrant = 1 << 1, kReadReentrant = 1 << 2, kReadLock = 1 << 3,
                   kTryLockFailed = 1 << 5, kRecursiveLock = 1 << 6, kRecursiveUnlock = 1 << 7;

void lock_code_begins(Pc pc) {
  const Call call(pc);
  if (!call) return;
  ignore_accesses_begin(call.thread());
  ignore_sync_begin(call.thread());
}
void lock_code_ends(Pc pc) {
  const Call call(pc);
  if (!call) return;
  ignore_sync_end(call.thread());
  ignore_accesses_end(call.thread());
}

}  // namespace

BF_ANNOTATION(void, __tsan_mutex_create, void* m, unsigned flags) {
  if (const Call call(BF_PC()); call)
    mutex_created(call.thread(), address_of(m), (flags & (kWriteReentrant | kReadReentrant)) != 0,
                  call.pc());
}
BF_ANNOTATION(void, __tsan_mutex_destroy, void* m, unsigned) {
  if (const Call call(BF_PC()); call) mutex_destroyed(call.thread(), address_of(m), call.pc());
}
BF_ANNOTATION(void, __tsan_mutex_pre_lock, void*, unsigned) {
  lock_code_begins(BF_PC());
}
BF_ANNOTATION(void, __tsan_mutex_post_lock, void* m, unsigned flags, int recursion) {
  lock_code_ends(BF_PC());
  const Call call(BF_PC());
  if (!call || (flags & kTryLockFailed) != 0) return;
  if ((flags & kRecursiveLock) != 0 && recursion > 0)
    mutex_reacquire(call.thread(), address_of(m), static_cast<u32>(recursion), call.pc());
  else
    mutex_locked(call.thread(), address_of(m),
                 (flags & kReadLock) != 0 ? LockMode::kRead : LockMode::kWrite, call.pc());
}
// Returns how often the lock was held, for the post_lock that takes it back.
BF_ANNOTATION(int, __tsan_mutex_pre_unlock, void* m, unsigned flags) {
  int recursion = 0;
  if (const Call call(BF_PC()); call) {
    if ((flags & kRecursiveUnlock) != 0)
      recursion = static_cast<int>(mutex_release_all(call.thread(), address_of(m), call.pc()));
    else
      mutex_unlocking(call.thread(), address_of(m), call.pc());
  }
  lock_code_begins(BF_PC());
  return recursion;
}
BF_ANNOTATION(void, __tsan_mutex_post_unlock, void*, unsigned) {
  lock_code_ends(BF_PC());
}
BF_ANNOTATION(void, __tsan_mutex_pre_signal, void*, unsigned) {
  lock_code_begins(BF_PC());
}
BF_ANNOTATION(void, __tsan_mutex_post_signal, void*, unsigned) {
  lock_code_ends(BF_PC());
}
// The lock's code calls back into the program.
BF_ANNOTATION(void, __tsan_mutex_pre_divert, void*, unsigned) {
  lock_code_ends(BF_PC());
}
BF_ANNOTATION(void, __tsan_mutex_post_divert, void*, unsigned) {
  lock_code_begins(BF_PC());
}

// --- fibers --------------------------------------------------------------------------------------

BF_ANNOTATION(void*, __tsan_get_current_fiber) {
  const Call call(BF_PC());
  return call ? reinterpret_cast<void*>(fiber_current()) : nullptr;
}
BF_ANNOTATION(void*, __tsan_create_fiber, unsigned) {
  const Call call(BF_PC());
  return call ? reinterpret_cast<void*>(fiber_create(call.thread(), 0, call.pc())) : nullptr;
}
BF_ANNOTATION(void, __tsan_destroy_fiber, void* fiber) {
  if (const Call call(BF_PC()); call && fiber != nullptr)
    fiber_destroy(call.thread(), static_cast<Fiber*>(fiber), call.pc());
}
BF_ANNOTATION(void, __tsan_switch_to_fiber, void* fiber, unsigned flags) {
  constexpr unsigned kNoSync = 1;
  if (const Call call(BF_PC()); call && fiber != nullptr)
    fiber_switch(call.thread(), static_cast<Fiber*>(fiber),
                 {.ordered = (flags & kNoSync) == 0}, call.pc());
}
BF_ANNOTATION(void, __tsan_set_fiber_name, void* fiber, const char* name) {
  if (const Call call(BF_PC()); call && fiber != nullptr)
    fiber_named(static_cast<Fiber*>(fiber), name);
}

// --- objects whose accesses a library announces --------------------------------------------------
//
// Tags only choose words of TSan's reports; any nonzero value will do.
BF_ANNOTATION(void*, __tsan_external_register_tag, const char* object_type) {
  return const_cast<char*>(object_type);
}
BF_ANNOTATION(void, __tsan_external_register_header, void*, const char*) {}
BF_ANNOTATION(void, __tsan_external_assign_tag, void*, void*) {}
BF_ANNOTATION(void, __tsan_external_read, void* p, void*, void*) {
  if (const Call call(BF_PC()); call)
    access_range(call.thread(), {address_of(p), 1}, AccessKind::kRead, call.pc());
}
BF_ANNOTATION(void, __tsan_external_write, void* p, void*, void*) {
  if (const Call call(BF_PC()); call)
    access_range(call.thread(), {address_of(p), 1}, AccessKind::kWrite, call.pc());
}
