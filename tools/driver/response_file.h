// Response files: `@file` on a command line stands for the arguments written in that file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bigfoot::driver {

// Splits text the way clang and gcc do on Unix: white space separates, single and double quotes
// group, a backslash takes the next character as it is.
std::vector<std::string> split_arguments(std::string_view text);

// The inverse for one argument: quoted so that split_arguments gives it back.
std::string quote_argument(std::string_view argument);

struct ExpandedArguments {
  std::vector<std::string> arguments;
  bool used_response_file = false;
};

// Replaces each `@file` by the contents of the file, recursively. As in clang, an `@name` that can
// not be read stays as it is, and so does one that would include itself.
ExpandedArguments expand_response_files(const std::vector<std::string>& arguments);

}  // namespace bigfoot::driver
