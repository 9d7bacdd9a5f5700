// bigfoot-clang and bigfoot-clang++: clang with race checks compiled in and the run time linked.
//
// Works out what to add to the command line, then becomes clang; everything printed from there on,
// and the exit code, are clang's.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "tools/driver/command_line.h"
#include "tools/driver/response_file.h"
#include "tools/driver/toolchain.h"
#include "tools/driver/translate.h"

namespace bigfoot::driver {
namespace {

constexpr int kRefused = 1;     // as clang for a command line it does not accept
constexpr int kNotFound = 127;  // as a shell for a command that does not exist

std::string_view program_name(Mode mode) {
  return mode == Mode::kCxx ? "bigfoot-clang++" : "bigfoot-clang";
}

int fail(Mode mode, const std::string& message, int exit_code) {
  std::cerr << program_name(mode) << ": error: " << message << '\n';
  return exit_code;
}

// A command line that came from a response file may be longer than exec takes, so it goes on in
// one: a file without a name, which is gone when clang is.
bool move_to_response_file(std::vector<std::string>& arguments) {
  const int file = memfd_create("bigfoot-clang arguments", 0);
  if (file < 0) return false;
  std::string text;
  for (const std::string& argument : arguments) text += quote_argument(argument) + '\n';
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  arguments = {"@/proc/self/fd/" + std::to_string(file)};
  return true;
}

int become_clang(Mode mode, const std::string& clang, const std::vector<std::string>& arguments) {
  std::vector<char*> argv = {const_cast<char*>(clang.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execvp(clang.c_str(), argv.data());
  return fail(mode,
              "can not run the compiler '" + clang + "': " + std::strerror(errno) +
                  " (install it, or set BIGFOOT_CLANG)",
              errno == ENOENT ? kNotFound : kRefused);
}

int run(int argc, char** argv) {
  const Mode mode = mode_of_program(argc > 0 ? argv[0] : "");
  const Environment environment = [](const char* name) { return std::getenv(name); };
  const ExpandedArguments expanded =
      expand_response_files(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));

  const auto parsed = parse_command_line(expanded.arguments, environment);
  if (const auto* refusal = std::get_if<Refusal>(&parsed))
    return fail(mode, refusal->message, kRefused);
  const CommandLine& command = std::get<CommandLine>(parsed);

  const Toolchain toolchain = toolchain_of(own_executable(), command.runtime);
  for (const std::filesystem::path& file : needed_files(command, toolchain)) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
      return fail(mode, "a part of BigFoot is missing: " + file.string(), kNotFound);
    }
    if (file == toolchain.plugin && !is_whole_object(file)) {
      return fail(mode, "a part of BigFoot is damaged: " + file.string(), kRefused);
    }
  }
  const std::string clang = clang_program(environment);
  if (const char* chosen = environment("BIGFOOT_CLANG"); chosen != nullptr && clang == chosen) {
    const std::string wrong = wrong_clang(clang);
    if (!wrong.empty()) return fail(mode, "BIGFOOT_CLANG=" + clang + ": " + wrong, kRefused);
  }

  std::vector<std::string> arguments = clang_arguments(command, mode, toolchain);
  if (expanded.used_response_file && !move_to_response_file(arguments)) {
    return fail(mode, std::string("can not write the arguments for clang: ") + std::strerror(errno),
                kRefused);
  }
  return become_clang(mode, clang, arguments);
}

}  // namespace
}  // namespace bigfoot::driver

int main(int argc, char** argv) {
  return bigfoot::driver::run(argc, argv);
}
