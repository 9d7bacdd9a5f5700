#include <iostream>

#include "abi/version.h"
#include "tools/bigfoot/command.h"
#include "tools/driver/detectors.h"

namespace bigfoot::tool {

int version_command(const Arguments& arguments) {
  if (!arguments.empty() && arguments.front() == "--help") {
    std::cout << "bigfoot version\n\nPrints the version and the detectors it has.\n";
    return 0;
  }
  if (!arguments.empty()) return fail("version", "takes no arguments", kUsageError);
  std::cout << "BigFoot " BIGFOOT_VERSION " (LLVM " BIGFOOT_LLVM_MAJOR ", run-time interface "
            << abi::kAbiVersion << ")\ndetectors: " << driver::detector_names() << '\n';
  return 0;
}

}  // namespace bigfoot::tool
