// Where the parts are that the driver puts together: clang, the plugin, the run time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/driver/command_line.h"

namespace bigfoot::driver {

struct Toolchain {
  std::filesystem::path plugin;
  std::filesystem::path runtime;
  std::filesystem::path exported_symbols;  // the linker's dynamic list that goes with the run time
};

// A build tree and an installed one look the same: programs in bin/, the rest in lib/ beside it.
// `program` is the real path of the driver's executable.
Toolchain toolchain_of(const std::filesystem::path& program, RuntimeVariant variant);

// The path of the running executable, symbolic links resolved.
std::filesystem::path own_executable();

// The clang to run: $BIGFOOT_CLANG, else the one the build was configured with, else clang-NN of
// PATH. A name without a slash is searched in PATH by exec. Never empty; it may not exist.
std::string clang_program(const Environment& environment);

}  // namespace bigfoot::driver
