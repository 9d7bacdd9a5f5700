// The interceptors start with the process: after the core, before any constructor of the program.
// The order of entries in .preinit_array is the linker's, so this one brings the core up if need
// be.
#include "runtime/context/runtime.h"
#include "runtime/intercept/intercept.h"

namespace {
void start(int, char**, char**) {
  bigfoot::rt::initialise_runtime();
  bigfoot::rt::intercept::initialise();
}
}  // namespace

__attribute__((section(".preinit_array"), used)) void (*__bf_intercept_preinit)(int, char**,
                                                                                char**) = start;
