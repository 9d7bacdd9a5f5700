// Detectors `redcard` and `bigfoot`: checks where the placement core puts them.
#pragma once

#include <llvm/IR/PassManager.h>

#include "analysis/placement/options.h"
#include "frontends/llvm/trace.h"

namespace bigfoot::frontend {

class PlacePass : public llvm::PassInfoMixin<PlacePass> {
 public:
  PlacePass(placement::Detector detector, TraceOptions trace)
      : detector_(detector), trace_(trace) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  placement::Detector detector_;
  TraceOptions trace_;
};

}  // namespace bigfoot::frontend
