// What both commands read: a program, and how to run it.
#pragma once

#include <CLI/CLI.hpp>
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

// "semispace", "marksweep" or "concurrent".
std::optional<vm::Collector> collector_named(const std::string& name);
void add_options(CLI::App& app, vm::VmOptions& options);

// Names of objects: the shared ones as in the program, others by number.
std::string name_of(const bfj::Location& location, const ManagedProgram& p);

}  // namespace bigfoot::tools
