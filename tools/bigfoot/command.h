// The shape of a subcommand of `bigfoot`, and the table of all of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bigfoot::tool {

inline constexpr int kUsageError = 2;
inline constexpr int kNotFound = 127;

using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view summary;  // one line for `bigfoot help`
  // Runs it with the arguments after its name; returns the exit code.
  int (*run)(const Arguments& arguments);
  // False when this installation lacks the program behind it. Null: always there.
  bool (*present)() = nullptr;
};

std::span<const Command> commands();
const Command* find_command(std::string_view name);

// One line on stderr, "bigfoot <command>: error: <message>"; returns exit_code.
int fail(std::string_view command, std::string_view message, int exit_code);

int run_command(const Arguments& arguments);
int version_command(const Arguments& arguments);
int place_command(const Arguments& arguments);
int explore_command(const Arguments& arguments);
bool place_present();
bool explore_present();
int vm_command(const Arguments& arguments);
bool vm_present();
int lard_study_command(const Arguments& arguments);
bool lard_study_present();

}  // namespace bigfoot::tool
