// What `bigfoot run` was asked to do, worked out before anything is compiled.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tools/driver/command_line.h"

namespace bigfoot::tool {

struct RunRecipe {
  driver::Mode mode = driver::Mode::kCxx;
  std::vector<std::string> compiler_arguments;  // for bigfoot-clang or bigfoot-clang++, without -o
  std::vector<std::string> inputs;
  std::string program_name;
};

// `arguments`: the files and compiler options. A Refusal says in one line why they make no program.
std::variant<RunRecipe, driver::Refusal> make_recipe(const std::vector<std::string>& arguments,
                                                     const driver::Environment& environment);

// Identifies the recipe for the cache: command, folder, and what else of the environment clang
// heeds.
std::string recipe_key(const RunRecipe& recipe, const std::string& folder,
                       const driver::Environment& environment);

}  // namespace bigfoot::tool
