// What the rest of the run time may ask of the interceptors.
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt {

// Runs the program's handlers of the signals that arrived while this thread was inside the run
// time. Does nothing while it still is. Cheap if there are none.
void deliver_pending_signals();

namespace intercept {

// Once, in the only thread, after the core is up: looks up the real functions, registers with fork
// and exit, makes the main thread known.
void initialise();

// Where the calling thread's stack and its thread-local variables are.
struct ThreadMemory {
  ByteRange stack;
  ByteRange tls;
};
ThreadMemory memory_of_this_thread();

}  // namespace intercept
}  // namespace bigfoot::rt
