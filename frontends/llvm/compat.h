// Every difference between the LLVM versions we build against (19 and 22), and nothing else.
#pragma once

#include <llvm/Analysis/CaptureTracking.h>
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

// Whether the address of a stack object may become known outside the function, by return or by store.
inline bool may_escape(const llvm::Value* object) {
#if LLVM_VERSION_MAJOR >= 21
  return llvm::PointerMayBeCaptured(object, /*ReturnCaptures=*/true);
#else
  return llvm::PointerMayBeCaptured(object, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
#endif
}

}  // namespace bigfoot::frontend::compat
