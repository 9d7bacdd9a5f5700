#include "tools/bigfoot/run_recipe.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "tools/bigfoot/program_cache.h"

namespace bigfoot::tool {
namespace {

// Before the user's options, so that theirs win. -g names variables in reports. No -O: the
// optimiser moves accesses and merges their positions (at -O1 the read in examples/bank.cpp is
// given the line of the loop around it), and a first look at a race is better exact than fast.
constexpr auto kDefaultOptions = std::to_array<const char*>({"-g", "-pthread"});

constexpr auto kVariablesClangHeeds = std::to_array<const char*>(
    {"BIGFOOT_CLANG", "BIGFOOT_DETECTOR", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
     "LIBRARY_PATH", "COMPILER_PATH", "SOURCE_DATE_EPOCH", "CCC_OVERRIDE_OPTIONS"});

bool is_c(const driver::Input& input) {
  return input.language == "c" || (input.language.empty() && input.path.ends_with(".c"));
}

// clang++ takes a .c file for C++ unless told: `-x c` before it, `-x none` before the file after
// it.
std::vector<std::string> with_c_files_as_c(const std::vector<std::string>& arguments,
                                           const std::vector<driver::Input>& inputs) {
  std::vector<std::string> result;
  auto input = inputs.begin();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_input = input != inputs.end() && input->position == i;
    const bool needs_language = is_input && input->language.empty() && is_c(*input);
    const bool is_last = is_input && std::next(input) == inputs.end();
    if (needs_language) result.insert(result.end(), {"-x", "c"});
    result.push_back(arguments[i]);
    if (needs_language && !is_last) result.insert(result.end(), {"-x", "none"});
    if (is_input) ++input;
  }
  return result;
}

}  // namespace

std::variant<RunRecipe, driver::Refusal> make_recipe(const std::vector<std::string>& arguments,
                                                     const driver::Environment& environment) {
  const auto parsed = driver::parse_command_line(arguments, environment);
  if (const auto* refusal = std::get_if<driver::Refusal>(&parsed)) return *refusal;
  const auto& command = std::get<driver::CommandLine>(parsed);
  if (command.inputs.empty())
    return driver::Refusal{"no file to compile (see: bigfoot run --help)"};
  for (const std::string& argument : arguments) {
    if (argument == "-o" || argument == "--output") {
      return driver::Refusal{"'" + argument +
                             "': to keep the program, compile it with bigfoot-clang++"};
    }
  }
  if (std::ranges::find(command.inputs, "-", &driver::Input::path) != command.inputs.end()) {
    return driver::Refusal{
        "'-': standard input belongs to the program; put the source into a file"};
  }
  if (command.product != driver::Product::kExecutable) {
    return driver::Refusal{"these options make no program to run"};
  }

  RunRecipe recipe;
  recipe.mode = std::ranges::all_of(command.inputs, is_c) ? driver::Mode::kC : driver::Mode::kCxx;
  recipe.compiler_arguments.assign(kDefaultOptions.begin(), kDefaultOptions.end());
  const auto rest =
      recipe.mode == driver::Mode::kC ? arguments : with_c_files_as_c(arguments, command.inputs);
  recipe.compiler_arguments.insert(recipe.compiler_arguments.end(), rest.begin(), rest.end());
  for (const driver::Input& input : command.inputs) recipe.inputs.push_back(input.path);
  const std::string stem = std::filesystem::path(recipe.inputs.front()).stem().string();
  recipe.program_name = stem.empty() ? "program" : stem;
  return recipe;
}

std::string recipe_key(const RunRecipe& recipe, const std::string& folder,
                       const driver::Environment& environment) {
  ContentHash hash;
  hash.add(recipe.mode == driver::Mode::kC ? "c" : "c++");
  hash.add(folder);
  for (const std::string& argument : recipe.compiler_arguments) hash.add(argument);
  for (const char* name : kVariablesClangHeeds) {
    const char* value = environment(name);
    hash.add(value == nullptr ? "unset" : "=" + std::string(value));
  }
  return hash.hex();
}

}  // namespace bigfoot::tool
