// The pass: detector `fasttrack`, a check at every access.
#pragma once

#include <llvm/IR/PassManager.h>

#include <optional>

#include "frontends/llvm/checks.h"
#include "frontends/llvm/explain/json.h"
#include "frontends/llvm/trace.h"

namespace bigfoot::frontend {

bool wants_instrumentation(const llvm::Function& f);
bool is_instrumented(const llvm::Module& module);
// Announces the module to the run time. REQUIRES: is_instrumented.
llvm::Function* module_constructor(llvm::Module& module);

// Decides a function's checks, on the function as the optimiser left it and with what was found in
// it; nothing: one at every access.
using Placement = llvm::function_ref<std::optional<PlacedChecks>(llvm::Function&, const Accesses&)>;
// Everything a module needs: checks, atomics, library calls, frames, the module's announcement.
void instrument_module(llvm::Module& module, Placement placement, TraceOptions trace);

// Has the module tell the run time that the history of arrays may be compressed, and which of its
// globals are arrays. REQUIRES: is_instrumented.
class ArraysPass : public llvm::PassInfoMixin<ArraysPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

class InstrumentPass : public llvm::PassInfoMixin<InstrumentPass> {
 public:
  InstrumentPass(TraceOptions trace, explain::Destination explain_to)
      : trace_(trace), explain_to_(std::move(explain_to)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  TraceOptions trace_;
  explain::Destination explain_to_;
};

}  // namespace bigfoot::frontend
