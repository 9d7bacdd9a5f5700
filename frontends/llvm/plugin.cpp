// What clang loads: registers the pass at the end of the optimisation pipeline.
#include "frontends/llvm/compat.h"
#include "frontends/llvm/instrument.h"

namespace {

void register_passes(llvm::PassBuilder& builder) {
  bigfoot::frontend::compat::at_optimizer_last(builder, [](llvm::ModulePassManager& passes) {
    passes.addPass(bigfoot::frontend::InstrumentPass());
  });
  // For `opt -passes=bigfoot`, which the tests of single transformations use.
  builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::ModulePassManager& passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != "bigfoot") return false;
    passes.addPass(bigfoot::frontend::InstrumentPass());
    return true;
  });
}

}  // namespace

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "bigfoot", BIGFOOT_VERSION, register_passes};
}
