// Detectors `redcard` and `bigfoot`: checks where the placement core puts them.
#pragma once

#include <llvm/IR/PassManager.h>

#include <string>

#include "analysis/placement/options.h"
#include "frontends/llvm/trace.h"

namespace bigfoot::frontend {

class PlacePass : public llvm::PassInfoMixin<PlacePass> {
 public:
  // `explain_to`: where to write the module's record (explain/json.h); empty: nowhere.
  PlacePass(placement::Detector detector, TraceOptions trace, std::string explain_to)
      : detector_(detector), trace_(trace), explain_to_(std::move(explain_to)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  placement::Detector detector_;
  TraceOptions trace_;
  std::string explain_to_;
};

}  // namespace bigfoot::frontend
