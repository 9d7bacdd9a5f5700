// The dynamic annotations (Annotate*) that Helgrind, DRD and TSan share, and WebKit's variants.
#include "runtime/intercept/interceptor.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

namespace {
using File = const char*;

void happens_before(const Call& call, const volatile void* p) {
  if (call) release(call.thread(), address_of(p), call.pc());
}
void happens_after(const Call& call, const volatile void* p) {
  if (call) acquire(call.thread(), address_of(p), call.pc());
}
}  // namespace

#define BF_ANNOTATE(name, ...) BF_DEFINE(void, name, (File, int, ##__VA_ARGS__))

BF_ANNOTATE(AnnotateHappensBefore, const volatile void* p) {
  happens_before(Call(BF_PC()), p);
}
BF_ANNOTATE(AnnotateHappensAfter, const volatile void* p) {
  happens_after(Call(BF_PC()), p);
}
BF_ANNOTATE(WTFAnnotateHappensBefore, const volatile void* p) {
  happens_before(Call(BF_PC()), p);
}
BF_ANNOTATE(WTFAnnotateHappensAfter, const volatile void* p) {
  happens_after(Call(BF_PC()), p);
}

namespace {
void lock_created(const Call& call, const volatile void* lock) {
  if (call) mutex_created(call.thread(), address_of(lock), false, call.pc());
}
}  // namespace
BF_ANNOTATE(AnnotateRWLockCreate, const volatile void* lock) {
  lock_created(Call(BF_PC()), lock);
}
BF_ANNOTATE(AnnotateRWLockCreateStatic, const volatile void* lock) {
  lock_created(Call(BF_PC()), lock);
}
BF_ANNOTATE(AnnotateRWLockDestroy, const volatile void* lock) {
  if (const Call call(BF_PC()); call) mutex_destroyed(call.thread(), address_of(lock), call.pc());
}
BF_ANNOTATE(AnnotateRWLockAcquired, const volatile void* lock, long is_writer) {
  if (const Call call(BF_PC()); call)
    mutex_locked(call.thread(), address_of(lock),
                 is_writer != 0 ? LockMode::kWrite : LockMode::kRead, call.pc());
}
BF_ANNOTATE(AnnotateRWLockReleased, const volatile void* lock, long) {
  if (const Call call(BF_PC()); call) mutex_unlocking(call.thread(), address_of(lock), call.pc());
}

// The detector has one switch for reads and writes, and so has TSan.
#define BF_IGNORE(name, event)                                \
  BF_ANNOTATE(name) {                                         \
    if (const Call call(BF_PC()); call) event(call.thread()); \
  }
BF_IGNORE(AnnotateIgnoreReadsBegin, ignore_accesses_begin)
BF_IGNORE(AnnotateIgnoreReadsEnd, ignore_accesses_end)
BF_IGNORE(AnnotateIgnoreWritesBegin, ignore_accesses_begin)
BF_IGNORE(AnnotateIgnoreWritesEnd, ignore_accesses_end)
BF_IGNORE(AnnotateIgnoreSyncBegin, ignore_sync_begin)
BF_IGNORE(AnnotateIgnoreSyncEnd, ignore_sync_end)

BF_ANNOTATE(AnnotateThreadName, const char* name) {
  if (const Call call(BF_PC()); call) thread_named(call.thread(), id_of(call.thread()), name);
}
BF_ANNOTATE(AnnotateNewMemory, const volatile void* p, usize bytes) {
  if (const Call call(BF_PC()); call) memory_cleared(call.thread(), {address_of(p), bytes});
}

// Understood, and without effect here. A race called benign is a race still: suppress its report by
// file, where the reason can be written down. The others steer analyses that we do not have (hybrid
// lock sets, expected races of a test suite).
BF_ANNOTATE(AnnotateBenignRace, const volatile void*, const char*) {}
BF_ANNOTATE(AnnotateBenignRaceSized, const volatile void*, usize, const char*) {}
BF_ANNOTATE(WTFAnnotateBenignRaceSized, const volatile void*, usize, const char*) {}
BF_ANNOTATE(AnnotateCondVarSignal, const volatile void*) {}
BF_ANNOTATE(AnnotateCondVarSignalAll, const volatile void*) {}
BF_ANNOTATE(AnnotateCondVarWait, const volatile void*, const volatile void*) {}
BF_ANNOTATE(AnnotateMutexIsNotPHB, const volatile void*) {}
BF_ANNOTATE(AnnotateMutexIsUsedAsCondVar, const volatile void*) {}
BF_ANNOTATE(AnnotatePCQCreate, const volatile void*) {}
BF_ANNOTATE(AnnotatePCQDestroy, const volatile void*) {}
BF_ANNOTATE(AnnotatePCQPut, const volatile void*) {}
BF_ANNOTATE(AnnotatePCQGet, const volatile void*) {}
BF_ANNOTATE(AnnotatePublishMemoryRange, const volatile void*, usize) {}
BF_ANNOTATE(AnnotateUnpublishMemoryRange, const volatile void*, usize) {}
BF_ANNOTATE(AnnotateExpectRace, const volatile void*, const char*) {}
BF_ANNOTATE(AnnotateFlushExpectedRaces) {}
BF_ANNOTATE(AnnotateEnableRaceDetection, int) {}
BF_ANNOTATE(AnnotateFlushState) {}
BF_ANNOTATE(AnnotateTraceMemory, const volatile void*) {}
BF_ANNOTATE(AnnotateNoOp, const volatile void*) {}
