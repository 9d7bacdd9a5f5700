#include <algorithm>
#include <array>
#include <iostream>

#include "tools/bigfoot/command.h"
#include "tools/explain/explain_command.h"
#include "tools/report/report_command.h"

namespace bigfoot::tool {
namespace {

constexpr std::array kCommands = {
    Command{"run", "compile files with race checks and run the program", run_command},
    Command{"report", "merge reports; write text, SARIF, JUnit or a page", report_command},
    Command{"explain", "show a source file with its checks where they ended up", explain_command},
    Command{"place", "show where the placement core puts the checks of a BFJ program",
            place_command, place_present},
    Command{"explore", "run a BFJ program under every schedule", explore_command, explore_present},
    Command{"vm", "run a BFJ program on the managed run time, find its races", vm_command, vm_present},
    Command{"lard-study", "compare seven detectors on managed programs", lard_study_command,
            lard_study_present},
    Command{"version", "print the version and the detectors it has", version_command},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command* find_command(std::string_view name) {
  const auto* found = std::ranges::find(kCommands, name, &Command::name);
  return found == kCommands.end() ? nullptr : found;
}

int fail(std::string_view command, std::string_view message, int exit_code) {
  std::cerr << "bigfoot" << (command.empty() ? "" : " ") << command << ": error: " << message
            << '\n';
  return exit_code;
}

}  // namespace bigfoot::tool
