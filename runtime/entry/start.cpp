// Start-up: before anything of the program, and once for each instrumented module.
#include "abi/version.h"
#include "runtime/base/check.h"
#include "runtime/base/print.h"
#include "runtime/context/arrays.h"
#include "runtime/context/on_race.h"
#include "runtime/context/runtime.h"

using namespace bigfoot::rt;

namespace {

constexpr int kExitUsage = 64;

void start(int, char**, char**) {
  initialise_runtime();
}

// A module that cannot be run: one line, and the end of the process.
void refuse(LineBuffer<1024>& line) {
  line.add("; recompile it\n").write_to(sys::kStderr);
  sys::exit_process(kExitUsage);
}

}  // namespace

// The first code of the process to run, earlier than any constructor.
__attribute__((section(".preinit_array"), used)) void (*__bf_preinit)(int, char**, char**) = start;

extern "C" __attribute__((visibility("default"))) void __bf_use_arrays(int when) {
  use_arrays(static_cast<bigfoot::abi::UseArrays>(when));
}

extern "C" __attribute__((visibility("default"))) void __bf_global_arrays(
    const bigfoot::abi::GlobalArray* arrays, int count) {
  add_global_arrays(arrays, static_cast<usize>(count));
}

extern "C" __attribute__((visibility("default"))) void __bf_module_init(int version,
                                                                        const char* source,
                                                                        int flags) {
  initialise_runtime();
  LineBuffer<1024> line;
  line.add("bigfoot: ");
  if (version != static_cast<int>(bigfoot::abi::kAbiVersion)) {
    line.add(source).add(" was compiled for run-time ABI ").add_decimal(version);
    line.add(", this run time has ABI ").add_decimal(bigfoot::abi::kAbiVersion);
    refuse(line);
  }
  if ((flags & bigfoot::abi::kChecksFirst) != 0 || module_checks_late(source)) return;
  line.add("races are to be stopped, but ")
      .add(source)
      .add(" was compiled without --check-first: ");
  line.add("its accesses may come before their checks");
  refuse(line);
}
