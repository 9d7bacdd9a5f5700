// Detectors `redcard`, `slimcard` and `bigfoot`: checks where the placement core puts them.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bigfoot::frontend {

class PlacePass : public llvm::PassInfoMixin<PlacePass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace bigfoot::frontend
