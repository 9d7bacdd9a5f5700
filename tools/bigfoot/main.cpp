// bigfoot: the command users call. It knows the table of subcommands and nothing about them.
#include <iomanip>
#include <iostream>
#include <string>

#include "tools/bigfoot/command.h"

namespace bigfoot::tool {
namespace {

void print_help(std::ostream& out) {
  out << "BigFoot finds data races in C and C++ programs.\n\n"
         "  bigfoot run FILE... [compiler options] [-- program arguments]\n"
         "  bigfoot COMMAND --help\n\n"
         "Commands:\n";
  for (const Command& command : commands()) {
    if (command.present != nullptr && !command.present()) continue;
    out << "  " << std::left << std::setw(12) << command.name << command.summary << '\n';
  }
  out << "\nTo build a whole project: CC=bigfoot-clang CXX=bigfoot-clang++\n";
}

int help(const Arguments& arguments) {
  if (arguments.empty()) {
    print_help(std::cout);
    return 0;
  }
  const Command* command = find_command(arguments.front());
  if (command == nullptr) return fail("help", "no such command: " + arguments.front(), kUsageError);
  return command->run({"--help"});
}

int dispatch(int argc, char** argv) {
  Arguments arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (arguments.empty()) return help({});
  const std::string name = arguments.front();
  arguments.erase(arguments.begin());
  if (name == "help" || name == "--help" || name == "-h") return help(arguments);
  if (name == "--version") return version_command({});
  if (const Command* command = find_command(name)) return command->run(arguments);
  return fail("", "no such command: " + name + " (see: bigfoot help)", kUsageError);
}

}  // namespace
}  // namespace bigfoot::tool

int main(int argc, char** argv) {
  return bigfoot::tool::dispatch(argc, argv);
}
