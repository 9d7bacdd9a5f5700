// Start-up: before anything of the program, and once for each instrumented module.
#include "abi/version.h"
#include "runtime/base/check.h"
#include "runtime/base/print.h"
#include "runtime/context/arrays.h"
#include "runtime/context/runtime.h"

using namespace bigfoot::rt;

namespace {

constexpr int kExitUsage = 64;

void start(int, char**, char**) {
  initialise_runtime();
}

}  // namespace

// The first code of the process to run, earlier than any constructor.
__attribute__((section(".preinit_array"), used)) void (*__bf_preinit)(int, char**, char**) = start;

extern "C" __attribute__((visibility("default"))) void __bf_use_arrays(int unasked) {
  use_arrays(unasked != 0);
}

extern "C" __attribute__((visibility("default"))) void __bf_module_init(int version,
                                                                        const char* source) {
  initialise_runtime();
  if (version == static_cast<int>(bigfoot::abi::kAbiVersion)) return;
  LineBuffer<1024> out;
  out.add("bigfoot: ").add(source).add(" was compiled for run-time ABI ").add_decimal(version);
  out.add(", this run time has ABI ").add_decimal(bigfoot::abi::kAbiVersion);
  out.add("; recompile it\n");
  out.write_to(sys::kStderr);
  sys::exit_process(kExitUsage);
}
