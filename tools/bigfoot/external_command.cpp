// Subcommands that are programs of their own, beside this one: `bigfoot place x` becomes
// `bigfoot-place x`.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tools/bigfoot/child.h"
#include "tools/bigfoot/command.h"
#include "tools/driver/toolchain.h"

namespace bigfoot::tool {
namespace {

std::filesystem::path program_of(std::string_view command) {
  return driver::own_executable().parent_path() / ("bigfoot-" + std::string(command));
}

bool present(std::string_view command) {
  return access(program_of(command).c_str(), X_OK) == 0;
}

int become(std::string_view command, const Arguments& arguments) {
  const std::filesystem::path program = program_of(command);
  if (!present(command))
    return fail(command, "not part of this build: no " + program.string(), kNotFound);
  become_program(program, arguments);
  return fail(command, "can not run " + program.string() + ": " + std::strerror(errno), kNotFound);
}

}  // namespace

int place_command(const Arguments& arguments) {
  return become("place", arguments);
}
int explore_command(const Arguments& arguments) {
  return become("explore", arguments);
}
int vm_command(const Arguments& arguments) {
  return become("vm", arguments);
}
int lard_study_command(const Arguments& arguments) {
  return become("lard-study", arguments);
}
bool vm_present() {
  return present("vm");
}
bool lard_study_present() {
  return present("lard-study");
}
bool place_present() {
  return present("place");
}
bool explore_present() {
  return present("explore");
}

}  // namespace bigfoot::tool
