// Every difference between the LLVM versions we build against (19 and 22), and nothing else.
#pragma once

#include <llvm/Config/llvm-config.h>
#include <llvm/Passes/PassBuilder.h>
#if LLVM_VERSION_MAJOR >= 22
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif

namespace bigfoot::frontend::compat {

// The end of the optimisation pipeline, also at -O0 and before an LTO link.
template <class F>
void at_optimizer_last(llvm::PassBuilder& builder, F add) {
#if LLVM_VERSION_MAJOR >= 20
  builder.registerOptimizerLastEPCallback([add](llvm::ModulePassManager& passes,
                                                llvm::OptimizationLevel,
                                                llvm::ThinOrFullLTOPhase) { add(passes); });
#else
  builder.registerOptimizerLastEPCallback(
      [add](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { add(passes); });
#endif
}

}  // namespace bigfoot::frontend::compat
