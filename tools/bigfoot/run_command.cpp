// bigfoot run: compile with race checks, then become the program.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "tools/bigfoot/child.h"
#include "tools/bigfoot/command.h"
#include "tools/bigfoot/program_cache.h"
#include "tools/bigfoot/run_recipe.h"
#include "tools/driver/response_file.h"
#include "tools/driver/toolchain.h"

namespace bigfoot::tool {
namespace fs = std::filesystem;
namespace {

constexpr int kForgetAfterDays = 30;

constexpr const char* kExamples =
    "Options that are not listed above are the compiler's, with -g -pthread as defaults:\n"
    "  bigfoot run bank.cpp\n"
    "  bigfoot run -O2 -std=c++20 main.cpp util.c -lz -- --threads 4\n"
    "The exit code is the program's own, or 66 if it had races.\n"
    "Programs are kept in ~/.cache/bigfoot and compiled again when a file they depend on has "
    "changed.";

// Everything the compiler read, one path per line (clang's CC_PRINT_HEADERS format).
void add_lines(Paths& paths, const fs::path& file) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) paths.emplace_back(line);
}

// The linker's inputs, from the make rule its --dependency-file wrote: "target: \" and one per
// line.
void add_link_inputs(Paths& paths, const fs::path& file) {
  std::ifstream stream(file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const std::size_t rule_end = std::min(text.find("\n\n"), text.size());
  std::string line;
  for (std::size_t begin = std::min(text.find('\n'), rule_end); begin < rule_end;) {
    const std::size_t end = std::min(text.find('\n', begin + 1), rule_end);
    line = text.substr(begin + 1, end - begin - 1);
    begin = end;
    while (!line.empty() && (line.back() == '\\' || line.back() == ' ')) line.pop_back();
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (!line.empty()) paths.emplace_back(line);
  }
}

class Runner {
 public:
  Runner(RunRecipe recipe, Arguments program_arguments)
      : recipe_(std::move(recipe)), program_arguments_(std::move(program_arguments)) {}

  int run() {
    try {
      const std::string key = recipe_key(recipe_, fs::current_path().string(), environment_);
      if (const auto program = cache_.find(key, recipe_.program_name)) return become(*program);
      return compile_and_become(key);
    } catch (const fs::filesystem_error& error) {
      return fail("run", error.what(), kNotFound);
    }
  }

 private:
  int become(const fs::path& program) const {
    become_program(program, program_arguments_);
    return fail("run", "can not run " + program.string() + ": " + std::strerror(errno), kNotFound);
  }

  int compile_and_become(const std::string& key) const {
    const fs::path scratch = cache_.new_folder();
    const int result = compile(scratch);
    if (result != 0) {
      std::error_code ignored;
      fs::remove_all(scratch, ignored);
      return result;
    }
    const Paths read_files = files_read(scratch);
    const fs::path program = cache_.store(key, recipe_.program_name, read_files, scratch);
    cache_.forget_older_than(kForgetAfterDays);
    return become(program);
  }

  fs::path compiler() const {
    const char* name = recipe_.mode == driver::Mode::kC ? "bigfoot-clang" : "bigfoot-clang++";
    return driver::own_executable().parent_path() / name;
  }

  int compile(const fs::path& scratch) const {
    Arguments arguments = recipe_.compiler_arguments;
    const fs::path link_rule = scratch / "link.d";
    arguments.insert(arguments.end(), {"-o", scratch / recipe_.program_name, "-Xlinker",
                                       "--dependency-file=" + link_rule.string()});
    // clang itself appends the headers of each file it compiles, whatever the language.
    const Variables variables = {{"CC_PRINT_HEADERS", "1"},
                                 {"CC_PRINT_HEADERS_FILE", scratch / "headers"}};
    std::string names;
    for (const std::string& input : recipe_.inputs) names += " " + input;
    const int result = run_child(compiler(), arguments, variables, "bigfoot: compiling" + names);
    if (result < 0) {
      return fail("run", "can not run " + compiler().string() + ": " + std::strerror(errno),
                  kNotFound);
    }
    return result;
  }

  Paths files_read(const fs::path& scratch) const {
    Paths paths(recipe_.inputs.begin(), recipe_.inputs.end());
    const driver::Toolchain tools =
        driver::toolchain_of(driver::own_executable(), driver::RuntimeVariant::kRelease);
    paths.insert(paths.end(), {compiler(), tools.plugin, driver::clang_program(environment_)});
    add_lines(paths, scratch / "headers");
    add_link_inputs(paths, scratch / "link.d");
    // clang's temporary objects and our own files are of this compile only.
    std::erase_if(paths, [&](const fs::path& path) {
      return path.string().starts_with(scratch.string()) || !fs::exists(path);
    });
    std::ranges::sort(paths);
    const auto repeated = std::ranges::unique(paths);
    paths.erase(repeated.begin(), repeated.end());
    return paths;
  }

  RunRecipe recipe_;
  Arguments program_arguments_;
  driver::Environment environment_ = [](const char* name) { return std::getenv(name); };
  ProgramCache cache_{user_cache_folder()};
};

}  // namespace

int run_command(const Arguments& arguments) {
  const auto separator = std::ranges::find(arguments, "--");
  const Arguments program_arguments(separator == arguments.end() ? separator : separator + 1,
                                    arguments.end());

  CLI::App app("Compile files with race checks and run the program.", "bigfoot run");
  app.set_help_flag("--help", "print this");
  app.allow_extras();
  app.footer(kExamples);
  std::string detector;
  app.add_option("--detector", detector,
                 "which detector to compile for (default: $BIGFOOT_DETECTOR or bigfoot)");
  try {
    app.parse(Arguments(std::make_reverse_iterator(separator), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    return fail("run", error.what(), kUsageError);
  }
  Arguments for_compiler = driver::expand_response_files(app.remaining()).arguments;
  if (!detector.empty()) for_compiler.insert(for_compiler.begin(), "--detector=" + detector);

  auto recipe = make_recipe(for_compiler, [](const char* name) { return std::getenv(name); });
  if (const auto* refusal = std::get_if<driver::Refusal>(&recipe)) {
    return fail("run", refusal->message, kUsageError);
  }
  return Runner(std::move(std::get<RunRecipe>(recipe)), program_arguments).run();
}

}  // namespace bigfoot::tool
