// lard.h: synchronisation and clocks.
#include "runtime/context/boundaries.h"
#include "runtime/context/regions.h"
#include "runtime/context/sync_ops.h"
#include "runtime/context/threads.h"
#include "runtime/intercept/interceptor.h"
#include "runtime/lard/misuse.h"
#include "runtime/lard/ranges.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::lard;
using bigfoot::rt::intercept::Call;

namespace {

// An object is a name; it need not be an address of memory that exists.
using SyncEvent = void (*)(Thread& t, uptr object, Pc pc);

int on_object(const char* function, SyncEvent event, const void* object, Pc pc) {
  const Call call(pc);
  if (!call) return BF_LARD_OK;
  if (object == nullptr) return misuse(function, "no object", pc);
  const ProgramSync program(call.thread());
  event(call.thread(), lard::address_of(object), pc);
  return BF_LARD_OK;
}

// Whether one of the times is news to `t` and to its owner, too: bf_lard_clock_read gave it to
// nobody.
bool knows_the_future(const Thread& t, const u64* times, usize count) {
  for (usize i = 0; i < count; ++i) {
    const Slot slot{static_cast<u32>(i)};
    if (times[i] > t.knows.get(slot) && times[i] >= unpublished_time(slot)) return true;
  }
  return false;
}

}  // namespace

BF_EXPORT int __bf_lard_acquire(const void* object) {
  return on_object("bf_lard_acquire", acquire, object, BF_PC());
}
BF_EXPORT int __bf_lard_release(const void* object) {
  return on_object("bf_lard_release", release, object, BF_PC());
}
BF_EXPORT int __bf_lard_release_store(const void* object) {
  return on_object("bf_lard_release_store", release_store, object, BF_PC());
}

BF_EXPORT size_t __bf_lard_clock_read(uint64_t* times, size_t capacity) {
  const Call call(BF_PC());
  if (!call) return 0;
  Thread& t = call.thread();
  RuntimeScope scope;
  const usize count = t.knows.size();
  if (times == nullptr || count > capacity) return count;
  before_release(t);
  for (usize i = 0; i < count; ++i) times[i] = t.knows.get(Slot{static_cast<u32>(i)});
  tick(t);
  return count;
}

BF_EXPORT int __bf_lard_clock_write(const uint64_t* times, size_t count) {
  const Call call(BF_PC());
  if (!call) return BF_LARD_OK;
  Thread& t = call.thread();
  RuntimeScope scope;
  if (const char* wrong = complaint_about_list(times, count))
    return misuse("bf_lard_clock_write", wrong, call.pc());
  if (count > runtime.slots.count())
    return misuse("bf_lard_clock_write", "more times than there are places in the clocks",
                  call.pc());
  if (knows_the_future(t, times, count))
    return misuse("bf_lard_clock_write", "a time that has not come yet", call.pc());
  before_acquire(t);
  for (usize i = 0; i < count; ++i) {
    const Slot slot{static_cast<u32>(i)};
    if (times[i] > t.knows.get(slot)) t.knows.set(slot, times[i]);
  }
  return BF_LARD_OK;
}
