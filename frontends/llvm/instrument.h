// The pass: detector `fasttrack`, a check at every access.
#pragma once

#include <llvm/IR/PassManager.h>

namespace bigfoot::frontend {

class InstrumentPass : public llvm::PassInfoMixin<InstrumentPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace bigfoot::frontend
