// Calls of library functions that read or write the program's memory on its behalf.
#pragma once

#include <llvm/IR/Instructions.h>

namespace bigfoot::frontend {

// Redirects the call to the run time's checking wrapper if abi/library_wrappers.def has one.
void redirect_library_call(llvm::CallBase& call);

}  // namespace bigfoot::frontend
