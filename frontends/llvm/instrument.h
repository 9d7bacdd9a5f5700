// The pass: detectors `fasttrack` and `slimstate`, a check at every access (the latter: one for
// copies of an access side by side).
#pragma once

#include <llvm/IR/PassManager.h>

#include <optional>

#include "frontends/llvm/checks.h"
#include "frontends/llvm/unplaced.h"

namespace bigfoot::frontend {

// Decides a function's checks, on the function as the optimiser left it and with what was found in
// it; nothing: one at every access.
using Placement =
    llvm::function_ref<std::optional<PlacedChecks>(llvm::Function&, const Accesses&, Fields&)>;
// Everything a batch needs: checks, atomics, library calls, frames, its files' announcements.
void instrument(const Batch& batch, Placement placement);

class InstrumentPass : public llvm::PassInfoMixin<InstrumentPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace bigfoot::frontend
