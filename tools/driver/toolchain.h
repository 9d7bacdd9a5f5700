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

// Why `program`, which the user chose, can not be the compiler: it does not call itself clang, or
// is of another version than the plugin was built for. Empty if it can, or can not be run at all.
std::string wrong_clang(const std::string& program);

// Whether all of an object file is there, as far as its headers tell: not the plugin of a build or
// a copy that broke off.
bool is_whole_object(const std::filesystem::path& file);

}  // namespace bigfoot::driver
