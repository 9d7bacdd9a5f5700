// Short spellings for the tests of the driver.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tools/driver/command_line.h"

namespace bigfoot::driver {

using Strings = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

inline Environment environment_of(const Variables& variables) {
  return [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

// The parsed command; an empty one and a failed test if it was refused.
inline CommandLine parse(const Strings& arguments, const Variables& variables = {}) {
  auto result = parse_command_line(arguments, environment_of(variables));
  if (const auto* refusal = std::get_if<Refusal>(&result)) {
    ADD_FAILURE() << "refused: " << refusal->message;
    return {};
  }
  return std::get<CommandLine>(result);
}

// Why it was refused; empty if it was not.
inline std::string refusal_of(const Strings& arguments, const Variables& variables = {}) {
  auto result = parse_command_line(arguments, environment_of(variables));
  const auto* refusal = std::get_if<Refusal>(&result);
  return refusal == nullptr ? "" : refusal->message;
}

}  // namespace bigfoot::driver
