// `explain` records as JSON: docs/explain-format.md.
#pragma once

#include <llvm/IR/Module.h>

#include "frontends/llvm/explain/record.h"

namespace bigfoot::frontend::explain {

// Writes the module's record to `path`, or to a file of its own in the folder `path`. A file that
// cannot be written is an error of the compilation.
void write_json(const llvm::Module& module, llvm::StringRef detector,
                const std::vector<Function>& functions, llvm::StringRef path);

}  // namespace bigfoot::frontend::explain
