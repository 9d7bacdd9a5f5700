// Globals of a module whose history the run time may keep as that of an array.
#pragma once

#include <llvm/IR/Module.h>

#include "frontends/llvm/entry_points.h"

namespace bigfoot::frontend {

// Has the module tell the run time of them (abi/arrays.h), at `at`: in its constructor, before
// anything of the module runs.
void announce_global_arrays(llvm::Module& module, EntryPoints& entries, llvm::IRBuilder<>& at);

}  // namespace bigfoot::frontend
