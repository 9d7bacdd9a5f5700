// Between construction and destruction no handler of the program runs on this thread: the heap's
// locks may be held, and a handler that allocates (it should not, but they do) would wait for ever.
#pragma once

#include "runtime/base/check.h"
#include "runtime/base/types.h"
#include "runtime/intercept/intercept.h"

namespace bigfoot::rt::intercept {

struct SignalHold {
  u32 depth;
  bool pending;  // a signal has arrived meanwhile
};
extern constinit thread_local SignalHold signal_hold __attribute__((tls_model("initial-exec")));

class HoldSignals {
 public:
  HoldSignals() { ++signal_hold.depth; }
  ~HoldSignals() {
    --signal_hold.depth;
    if (BF_UNLIKELY(signal_hold.pending)) deliver_pending_signals();
  }
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;
};

}  // namespace bigfoot::rt::intercept
