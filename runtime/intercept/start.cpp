// The interceptors start with the process: after the core, before any constructor of the program.
// The order of entries in .preinit_array is the linker's, so this one brings the core up if need
// be.
#include "runtime/context/runtime.h"
#include "runtime/intercept/intercept.h"

using namespace bigfoot::rt;

namespace {
void start(int, char**, char**) {
  initialise_runtime();
  intercept::initialise();
  // Other threads bring this along when they start.
  intercept::ThreadMemory memory = intercept::memory_of_this_thread();
  ThreadRecord& main = runtime.threads[static_cast<u32>(kMainThread)];
  main.stack = memory.stack;
  main.tls = memory.tls;
}
}  // namespace

__attribute__((section(".preinit_array"), used)) void (*__bf_intercept_preinit)(int, char**,
                                                                                char**) = start;
