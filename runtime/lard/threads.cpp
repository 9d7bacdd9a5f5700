// lard.h: logical threads. Their numbers are those of reports plus one, so that 0 is none.
#include "runtime/context/runtime.h"
#include "runtime/intercept/interceptor.h"
#include "runtime/lard/misuse.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::lard;
using bigfoot::rt::intercept::Call;

namespace {

constexpr bf_lard_thread kLargest = bf_lard_thread{Runtime::kThreads};

bf_lard_thread number_of(const Fiber* fiber) {
  return static_cast<bf_lard_thread>(fiber_id(fiber)) + 1;
}
bool thread_of(bf_lard_thread number, ThreadId& id) {
  if (number == 0 || number > kLargest) return false;
  id = ThreadId{static_cast<u32>(number - 1)};
  return true;
}

int result_of(const char* function, FiberUse use, Pc pc) {
  static constexpr const char* kComplaints[] = {nullptr,
                                                "no such thread, or it has ended",
                                                "the thread is an OS thread",
                                                "the thread is running",
                                                "the thread is running on another OS thread",
                                                "the thread is another OS thread's own",
                                                "the thread is inside of a region"};
  const char* wrong = kComplaints[static_cast<usize>(use)];
  return wrong == nullptr ? static_cast<int>(BF_LARD_OK) : misuse(function, wrong, pc);
}

}  // namespace

BF_EXPORT bf_lard_thread __bf_lard_thread_current() {
  const Call call(BF_PC());
  return call ? number_of(fiber_current()) : 0;
}
BF_EXPORT bf_lard_thread __bf_lard_thread_create(size_t stack_bytes) {
  const Call call(BF_PC());
  if (!call) return 0;
  const Fiber* made = fiber_create(call.thread(), stack_bytes, call.pc());
  if (made != nullptr) return number_of(made);
  misuse("bf_lard_thread_create", "no room for one more thread with such a stack", call.pc());
  return 0;
}
BF_EXPORT int __bf_lard_thread_switch(bf_lard_thread thread, unsigned how) {
  const Call call(BF_PC());
  if (!call) return BF_LARD_OK;
  ThreadId id{};
  FiberUse use = FiberUse::kUnknown;
  if ((how & ~unsigned{BF_LARD_ORDERED | BF_LARD_SAME_STACK}) != 0)
    return misuse("bf_lard_thread_switch", "no such way to switch", call.pc());
  if (thread_of(thread, id))
    use = fiber_switch_checked(
        call.thread(), id,
        {.ordered = (how & BF_LARD_ORDERED) != 0, .same_stack = (how & BF_LARD_SAME_STACK) != 0},
        call.pc());
  return result_of("bf_lard_thread_switch", use, call.pc());
}
BF_EXPORT int __bf_lard_thread_destroy(bf_lard_thread thread) {
  const Call call(BF_PC());
  if (!call) return BF_LARD_OK;
  ThreadId id{};
  FiberUse use = FiberUse::kUnknown;
  if (thread_of(thread, id)) use = fiber_destroy_checked(call.thread(), id, call.pc());
  return result_of("bf_lard_thread_destroy", use, call.pc());
}
BF_EXPORT int __bf_lard_thread_name(bf_lard_thread thread, const char* name) {
  const Call call(BF_PC());
  if (!call) return BF_LARD_OK;
  ThreadId id{};
  FiberUse use = FiberUse::kUnknown;
  if (name == nullptr) return misuse("bf_lard_thread_name", "no name", call.pc());
  if (thread_of(thread, id)) use = fiber_named_checked(id, name);
  return result_of("bf_lard_thread_name", use, call.pc());
}
