// Running other programs.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace bigfoot::tool {

using Variables = std::vector<std::pair<std::string, std::string>>;

// Runs a program to its end with `variables` added to the environment. Prints `progress` on stderr
// if that takes longer than a second. Returns its exit code, 128 + N if signal N ended it, or -1
// with errno set if it could not be started.
int run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
              const Variables& variables, const std::string& progress);

// Replaces this process, so that exit code and signals are the program's own. Returns on failure
// only.
void become_program(const std::filesystem::path& program,
                    const std::vector<std::string>& arguments);

}  // namespace bigfoot::tool
