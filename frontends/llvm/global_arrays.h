// Globals of a module whose history the run time may keep as that of an array.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "abi/arrays.h"

namespace bigfoot::frontend {

// The file of this constructor is compiled for a detector that compresses the history of arrays.
// Told to the run time once, when the pass comes to it.
void let_arrays_be_announced(llvm::Function& constructor, abi::UseArrays when);

// Has such files tell the run time (abi/arrays.h), before anything of the module runs; the first
// one also of the module's globals that are arrays. At the end of the pipeline, because to name a
// global keeps it in the program.
class ArraysPass : public llvm::PassInfoMixin<ArraysPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace bigfoot::frontend
