// Detectors `redcard` and `bigfoot`: checks where the placement core puts them.
#pragma once

#include <llvm/IR/PassManager.h>

#include "analysis/placement/options.h"
#include "frontends/llvm/explain/json.h"
#include "frontends/llvm/trace.h"

namespace bigfoot::frontend {

class PlacePass : public llvm::PassInfoMixin<PlacePass> {
 public:
  PlacePass(placement::Detector detector, TraceOptions trace, explain::Destination explain_to)
      : detector_(detector), trace_(trace), explain_to_(std::move(explain_to)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  placement::Detector detector_;
  TraceOptions trace_;
  explain::Destination explain_to_;
};

}  // namespace bigfoot::frontend
