// Detectors `redcard` and `bigfoot`: checks where the placement core puts them.
#pragma once

#include <llvm/IR/PassManager.h>

#include "analysis/placement/options.h"

namespace bigfoot::frontend {

class PlacePass : public llvm::PassInfoMixin<PlacePass> {
 public:
  explicit PlacePass(placement::Detector detector) : detector_(detector) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  placement::Detector detector_;
};

}  // namespace bigfoot::frontend
