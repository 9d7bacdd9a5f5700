#include "runtime/context/foreign_frames.h"

#include <unwind.h>

#include "runtime/base/check.h"

// Weak: C programs need not have an unwinder, and then the frames stay unknown.
extern "C" __attribute__((weak)) _Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn, void*);

namespace bigfoot::rt {
namespace {

constexpr u32 kMaxForeign = 32;

struct Walk {
  Pc caller = 0;  // starts below this frame
  Pc known = 0;   // and ends at this one: the return address of the innermost known function
  bool below = false;
  bool complete = false;
  u32 count = 0;
  Pc pcs[kMaxForeign];  // innermost first
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  Pc pc = _Unwind_GetIP(context);
  if (!walk.below) {
    walk.below = pc == walk.caller;
    return _URC_NO_REASON;
  }
  if (pc == walk.known) {
    walk.complete = true;
    return _URC_END_OF_STACK;
  }
  if (walk.count == kMaxForeign) return _URC_END_OF_STACK;
  walk.pcs[walk.count++] = pc;
  return _URC_NO_REASON;
}

}  // namespace

ForeignFrames::ForeignFrames(Pc caller) : saved_(__bf_thread.frame) {
  if (_Unwind_Backtrace == nullptr || saved_ == nullptr) return;
  Walk walk;
  walk.caller = caller;
  walk.known = saved_->return_pc;
  _Unwind_Backtrace(visit, &walk);
  // Not met: the known frame was inlined into a caller or belongs to another stack (a fiber).
  if (!walk.complete) return;
  abi::Frame* top = saved_;
  for (u32 i = walk.count; i > 0; --i) {
    Pc pc = walk.pcs[i - 1];
    top[1] = {pc, (top->path ^ pc) * abi::kPathMultiplier};
    ++top;
  }
  __bf_thread.frame = top;
}

}  // namespace bigfoot::rt
