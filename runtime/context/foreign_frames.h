// Frames of code that keeps no shadow call stack.
//
// The shadow call stack knows where each instrumented function was called from, but not where in it a
// library was called that then called us: std::thread starts its thread inside the C++ library, and a
// creation stack without the program's own line is of little use. For rare events (a thread is
// created) the real stack is walked with the unwinder, if the program has one, down to the first frame
// that the shadow call stack knows.
#pragma once

#include "runtime/context/thread.h"

namespace bigfoot::rt {

// While it lives, the thread's shadow call stack has the missing frames on top.
class ForeignFrames {
 public:
  explicit ForeignFrames(Pc caller);
  ~ForeignFrames() { __bf_thread.frame = saved_; }
  ForeignFrames(const ForeignFrames&) = delete;
  ForeignFrames& operator=(const ForeignFrames&) = delete;

 private:
  abi::Frame* saved_;
};

}  // namespace bigfoot::rt
