// What both commands read: a program, and how to run it.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "frontends/bfj/vm/vm.h"

namespace bigfoot::tools {

// A program as it runs. Not movable: the code points into the program.
struct ManagedProgram {
  bfj::Program program;
  bfj::CompiledProgram compiled;
};

// Null after a line on stderr.
std::unique_ptr<ManagedProgram> load_program(const std::string& file);

// Nothing if the arguments are good; otherwise, after a line on stderr or the help that was asked
// for, what to exit with.
std::optional<int> parse(CLI::App& app, int argc, char** argv);

// Why the program did not come to its end; empty if all its threads have ended.
std::string unfinished(const vm::VmResult& result, const vm::VmOptions& options);

// "semispace", "marksweep" or "concurrent".
std::optional<vm::Collector> collector_named(const std::string& name);
void add_options(CLI::App& app, vm::VmOptions& options);

// Names of objects: the shared ones as in the program, others by number.
std::string name_of(const bfj::Location& location, const ManagedProgram& p);

}  // namespace bigfoot::tools
