// The pass: detector `fasttrack`, a check at every access.
#pragma once

#include <llvm/IR/PassManager.h>

#include <optional>

#include "frontends/llvm/checks.h"
#include "frontends/llvm/trace.h"

namespace bigfoot::frontend {

bool wants_instrumentation(const llvm::Function& f);
bool is_instrumented(const llvm::Module& module);

// Decides a function's checks, on the function as the optimiser left it; nothing: one at every
// access.
using Placement = llvm::function_ref<std::optional<PlacedChecks>(llvm::Function&)>;
// Everything a module needs: checks, atomics, library calls, frames, the module's announcement.
void instrument_module(llvm::Module& module, Placement placement, TraceOptions trace);

class InstrumentPass : public llvm::PassInfoMixin<InstrumentPass> {
 public:
  explicit InstrumentPass(TraceOptions trace) : trace_(trace) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  TraceOptions trace_;
};

}  // namespace bigfoot::frontend
