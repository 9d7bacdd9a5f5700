// `explain` records as JSON: docs/explain-format.md.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "frontends/llvm/explain/record.h"

namespace bigfoot::frontend::explain {

// Where records go, and whose they are.
struct Destination {
  std::string path;  // a file, or a folder in which each module has a file of its own; empty: none
  std::string detector;  // as the user named it
  bool wanted() const { return !path.empty(); }
};

// A file that cannot be written is an error of the compilation. REQUIRES: to.wanted().
void write_json(const llvm::Module& module, const std::vector<Function>& functions,
                const std::vector<Type>& types, const Destination& to);

}  // namespace bigfoot::frontend::explain
