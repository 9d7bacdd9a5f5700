// From what the user asked for to the command line clang is run with.
#pragma once

#include <string>
#include <vector>

#include "tools/driver/command_line.h"
#include "tools/driver/toolchain.h"

namespace bigfoot::driver {

// The arguments for clang, without the program's name.
std::vector<std::string> clang_arguments(const CommandLine& command, Mode mode,
                                         const Toolchain& toolchain);

// The files of `toolchain` that the command can not do without.
std::vector<std::filesystem::path> needed_files(const CommandLine& command,
                                                const Toolchain& toolchain);

}  // namespace bigfoot::driver
