// Every difference between the LLVM versions we build against (19 and 22), and nothing else.
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>
#if LLVM_VERSION_MAJOR >= 22
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif

namespace bigfoot::frontend::compat {

// Of a file that is compiled, whatever it is compiled for: the end of the optimisation pipeline,
// also at -O0. LLVM 19 does not say for which kind of link, if any.
template <class F>
void at_optimizer_last(llvm::PassBuilder& builder, F add) {
#if LLVM_VERSION_MAJOR >= 20
  builder.registerOptimizerLastEPCallback(
      [add](llvm::ModulePassManager& passes, llvm::OptimizationLevel,
            llvm::ThinOrFullLTOPhase phase) { add(passes, phase); });
#else
  builder.registerOptimizerLastEPCallback(
      [add](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        add(passes, llvm::ThinOrFullLTOPhase::None);
      });
#endif
}

// Before the loop optimisations that need canonical loops (vectorising), after the ones that make
// them.
template <class F>
void at_optimizer_early(llvm::PassBuilder& builder, F add) {
#if LLVM_VERSION_MAJOR >= 20
  builder.registerOptimizerEarlyEPCallback(
      [add](llvm::ModulePassManager& passes, llvm::OptimizationLevel level,
            llvm::ThinOrFullLTOPhase phase) { add(passes, level, phase); });
#else
  builder.registerOptimizerEarlyEPCallback(
      [add](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        add(passes, level, llvm::ThinOrFullLTOPhase::None);
      });
#endif
}

inline llvm::SCEVExpander scev_expander(llvm::ScalarEvolution& scev, llvm::Function& f) {
#if LLVM_VERSION_MAJOR >= 22
  (void)f;
  return llvm::SCEVExpander(scev, "bigfoot", /*PreserveLCSSA=*/false);
#else
  return llvm::SCEVExpander(scev, f.getParent()->getDataLayout(), "bigfoot",
                            /*PreserveLCSSA=*/false);
#endif
}

// Whether the address of a stack object may become known outside the function, by return or by
// store.
inline bool may_escape(const llvm::Value* object) {
#if LLVM_VERSION_MAJOR >= 21
  return llvm::PointerMayBeCaptured(object, /*ReturnCaptures=*/true);
#else
  return llvm::PointerMayBeCaptured(object, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
#endif
}

// The call touches no memory but errno.
inline bool touches_only_errno(const llvm::CallBase& call) {
#if LLVM_VERSION_MAJOR >= 22
  return call.getMemoryEffects().onlyAccessesErrnoMem();
#else
  return call.doesNotAccessMemory();
#endif
}

// The callee keeps no copy of its n-th argument, a pointer.
inline void add_no_capture(llvm::Function& f, unsigned n) {
#if LLVM_VERSION_MAJOR >= 21
  f.addParamAttr(n, llvm::Attribute::getWithCaptureInfo(f.getContext(), llvm::CaptureInfo::none()));
#else
  f.addParamAttr(n, llvm::Attribute::NoCapture);
#endif
}

// What GEPOperator::collectOffset fills: how far one step of each variable index goes.
#if LLVM_VERSION_MAJOR >= 21
using Strides = llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4>;
#else
using Strides = llvm::MapVector<llvm::Value*, llvm::APInt>;
#endif

}  // namespace bigfoot::frontend::compat
